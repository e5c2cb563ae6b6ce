import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { packageRoot } from "../src/wiring/folders/package-root.ts";
import { planOf, type Shape } from "./graphs.ts";
import type { Measurement, Result } from "./result.ts";
import { sampleRepository } from "./sample-repository.ts";
import {
  canCountProcesses,
  countProcesses,
  describeCounts,
  type ProcessCounts,
  sumOf,
} from "./support/count-processes.ts";

type Say = (text: string) => void;

const FEW = 2;
const MANY = 10;
const AGENT = 'mkdir -p out && echo "$LOOM_STAGE_ID" > "out/$LOOM_STAGE_ID"';
const LEFT_OUT = "strace is not installed";

/**
 * What one stage executes on its way, agent and check in the sandbox: the difference between ten independent stages and two,
 * so that what a run costs once does not count. The plan's own agent (`sh`, `mkdir`) is part of it.
 */
export async function benchProcesses(say: Say): Promise<Measurement[]> {
  if (!canCountProcesses())
    return [{ id: "processes.stage", name: "processes per stage", leftOut: LEFT_OUT }];
  const few = await countRun(FEW);
  const many = await countRun(MANY);
  const perStage = new Map(
    [...many].map(([name, count]) => [name, (count - (few.get(name) ?? 0)) / (MANY - FEW)]),
  );
  say(`a stage executes ${describeCounts(perStage)}; a run of ${MANY} stages ${sumOf(many)} in all`);
  const result = (id: string, name: string, value: number): Result => ({
    id: `processes.${id}`,
    name,
    value,
    unit: "",
    detail: Object.fromEntries(perStage),
  });
  return [
    result(
      "stage",
      `programs executed per stage, ${MANY} independent stages with one check, in the sandbox`,
      sumOf(perStage),
    ),
    result("git", "of these git", perStage.get("git") ?? 0),
    result("node", "of these node", perStage.get("node") ?? 0),
  ];
}

/** The whole demo, the GitHub look-alike's own processes included. */
export async function benchDemoProcesses(say: Say): Promise<Measurement[]> {
  const name = "programs executed by the whole demo";
  if (!canCountProcesses()) return [{ id: "demo.processes", name, leftOut: LEFT_OUT }];
  const folder = mkdtempSync(join(tmpdir(), "loom-bench-demo-"));
  try {
    const demo = join(packageRoot(), "dist", "demo", "main.js");
    const counts = await countProcesses([process.execPath, demo, "--report", join(folder, "report.html")], {
      cwd: folder,
    });
    say(`the demo executes ${describeCounts(counts)}`);
    return [
      { id: "demo.processes", name, value: sumOf(counts), unit: "", detail: Object.fromEntries(counts) },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function countRun(stages: number): Promise<ProcessCounts> {
  const repository = sampleRepository();
  const folder = dirname(repository);
  const names = Array.from({ length: stages }, (_, n) => `stage-${n}`);
  const shape: Shape = { levels: [names], needs: new Map(names.map((name) => [name, []])) };
  const check = (stage: string): readonly string[] => [`test -f out/${stage}`];
  writeFileSync(join(repository, "PLAN.md"), planOf(shape, 2, check));
  try {
    const cli = join(packageRoot(), "dist", "src", "cli", "main.js");
    return await countProcesses([process.execPath, cli, "run", "PLAN.md"], {
      cwd: repository,
      env: {
        LOOM_COMMAND_BIN: "/bin/sh",
        LOOM_COMMAND_ARGS: JSON.stringify(["-c", AGENT]),
        LOOM_TREES: join(folder, "trees"),
      },
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
