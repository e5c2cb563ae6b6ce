import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { packageRoot } from "../src/wiring/folders/package-root.ts";
import { grid, planOf } from "./graphs.ts";
import { median } from "./measure.ts";
import type { Result } from "./result.ts";
import { sampleRepository } from "./sample-repository.ts";

const CLI = join(packageRoot(), "dist", "src", "cli", "main.js");
const ROUNDS = 11;

/** CPU time, that of all processes below included: the clock on the wall says what else the machine had to do. */
export function benchStartUp(say: (text: string) => void): Result[] {
  const repository = sampleRepository();
  writeFileSync(join(repository, "PLAN.md"), planOf(grid(2, 2), 2));
  const programs = {
    floor: ["-e", "0"],
    version: [CLI, "--version"],
    check: [CLI, "plan", "check", "PLAN.md"],
  };
  const measured = { floor: [] as number[], version: [] as number[], check: [] as number[] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const name of ["floor", "version", "check"] as const) {
      const ms = cpuMs([process.execPath, ...programs[name]], repository);
      // The first time, files are read from the disk.
      if (round > 0) measured[name].push(ms);
    }
  }
  rmSync(dirname(repository), { recursive: true, force: true });
  const floorMs = median(measured.floor);
  const versionMs = median(measured.version);
  const checkMs = median(measured.check);
  say(`start-up: node ${floorMs} ms, loom --version ${versionMs} ms, loom plan check ${checkMs} ms of CPU`);
  return [
    {
      id: "start-up.version",
      name: "`loom --version` against `node -e 0` (CPU)",
      value: versionMs / floorMs,
      unit: "×",
      detail: { versionMs, floorMs, rounds: ROUNDS },
    },
    {
      id: "start-up.plan-check",
      name: "`loom plan check` of a small plan against `node -e 0` (CPU)",
      value: checkMs / floorMs,
      unit: "×",
      detail: { checkMs, floorMs, rounds: ROUNDS },
    },
  ];
}

/** bash is asked since Node knows only about processes that it is itself. */
function cpuMs(argv: readonly string[], cwd: string): number {
  const script = 'TIMEFORMAT="%3U %3S"; time "$@" > /dev/null';
  const env = { ...process.env, LC_ALL: "C" };
  const said = execFileSync("bash", ["-c", `{ ${script}; } 2>&1`, "bash", ...argv], {
    cwd,
    env,
    encoding: "utf8",
  });
  const [user = Number.NaN, system = Number.NaN] =
    said.trim().split("\n").at(-1)?.split(" ").map(Number) ?? [];
  return Math.round((user + system) * 1000);
}
