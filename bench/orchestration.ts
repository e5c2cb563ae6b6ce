import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { packageRoot } from "../src/wiring/folders/package-root.ts";
import { gitScript } from "./git-script.ts";
import { grid, planOf, type Shape } from "./graphs.ts";
import { type Measured, measure, median } from "./measure.ts";
import type { Result } from "./result.ts";
import { sampleRepository } from "./sample-repository.ts";
import { bytesIn } from "./support/bytes-in.ts";

const CLI = join(packageRoot(), "dist", "src", "cli", "main.js");
const ROUNDS = 5;

/** Both sides start the same instant agent, a shell that writes one file. */
const INSTANT = 'mkdir -p out && echo "$LOOM_STAGE_ID" > "out/$LOOM_STAGE_ID"';

export async function benchOrchestration(say: (text: string) => void): Promise<Result[]> {
  const shape = grid(5, 10);
  const ours: LoomMeasured[] = [];
  const floor: Measured[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    floor.push(await runScript(shape, INSTANT));
    ours.push(await runLoom(shape, 5, INSTANT));
    say(
      `50 stages, round ${round}: loom ${Math.round(ours.at(-1)?.ms ?? 0)} ms, script ${Math.round(floor.at(-1)?.ms ?? 0)} ms`,
    );
  }
  const [loomMs, floorMs] = [ours, floor].map((all) => median(all.map((one) => one.ms)));
  const peak = median(ours.map((one) => one.peakMb ?? Number.NaN));
  return [
    {
      id: "orchestration.ratio",
      name: "50 stages with an instant agent, against a plain git script",
      value: (loomMs ?? 0) / (floorMs ?? 1),
      unit: "×",
      detail: { loomMs, floorMs, rounds: ROUNDS },
    },
    {
      id: "orchestration.memory",
      name: "peak memory of the loom process at 50 stages",
      value: peak,
      unit: "MB",
      detail: {},
    },
    {
      id: "orchestration.disk",
      name: "bytes per stage that a run of 50 leaves in Loom's folders: ledger, prompts, logs, no trees",
      value: median(ours.map((one) => one.leftBytes)) / shape.levels.flat().length / 1024,
      unit: "KB",
      detail: { ledgerKb: median(ours.map((one) => one.ledgerBytes)) / 1024 },
    },
  ];
}

type LoomMeasured = Measured & { readonly leftBytes: number; readonly ledgerBytes: number };

/** Agents that sleep: how close the whole comes to the longest path through the graph. */
export async function benchMakespan(say: (text: string) => void): Promise<Result[]> {
  const shape = grid(4, 4);
  const seconds = new Map(
    shape.levels.flat().map((stage, index) => [stage, [0.3, 0.9, 0.5, 0.7, 0.4][index % 5] ?? 0.5]),
  );
  const cases = [...seconds].map(([stage, secs]) => `${stage}) sleep ${secs};;`).join(" ");
  const sleeper = `case "$LOOM_STAGE_ID" in ${cases} esac; ${INSTANT}`;
  const path = new Map<string, number>();
  for (const stage of shape.levels.flat()) {
    const before = Math.max(0, ...(shape.needs.get(stage) ?? []).map((one) => path.get(one) ?? 0));
    path.set(stage, before + (seconds.get(stage) ?? 0) * 1000);
  }
  const criticalMs = Math.max(...path.values());
  const floor = await runScript(shape, INSTANT);
  const ours = await runLoom(shape, 16, sleeper);
  say(
    `makespan: loom ${Math.round(ours.ms)} ms, critical path ${Math.round(criticalMs)} ms, floor ${Math.round(floor.ms)} ms`,
  );
  return [
    {
      id: "makespan.excess",
      name: "makespan of sleeping agents beyond critical path and git script, against the critical path",
      value: (ours.ms - floor.ms - criticalMs) / criticalMs,
      unit: "×",
      detail: { loomMs: ours.ms, criticalMs, floorMs: floor.ms },
    },
  ];
}

async function runLoom(shape: Shape, maxParallel: number, agent: string): Promise<LoomMeasured> {
  const repository = sampleRepository();
  const folder = dirname(repository);
  writeFileSync(join(repository, "PLAN.md"), planOf(shape, maxParallel));
  const measured = await measure([process.execPath, CLI, "run", "PLAN.md"], {
    cwd: repository,
    env: {
      // The script it is compared with has no isolation either.
      LOOM_SANDBOX: "off",
      LOOM_COMMAND_BIN: "/bin/sh",
      LOOM_COMMAND_ARGS: JSON.stringify(["-c", agent]),
      LOOM_TREES: join(folder, "trees"),
    },
  });
  assertAllThere(repository, shape);
  const own = join(repository, ".git", "loom");
  const leftBytes = bytesIn(own) + bytesIn(join(folder, "trees"));
  const ledgers = readdirSync(join(own, "runs")).map((run) => join(own, "runs", run, "events.jsonl"));
  const ledgerBytes = ledgers.reduce((sum, ledger) => sum + bytesIn(ledger), 0);
  rmSync(folder, { recursive: true, force: true });
  return { ...measured, leftBytes, ledgerBytes };
}

async function runScript(shape: Shape, agent: string): Promise<Measured> {
  const repository = sampleRepository();
  const folder = dirname(repository);
  mkdirSync(join(folder, "trees"));
  writeFileSync(join(folder, "agent.sh"), agent);
  writeFileSync(join(folder, "floor.sh"), gitScript(shape.levels, `/bin/sh ${join(folder, "agent.sh")}`));
  const measured = await measure(["/bin/sh", join(folder, "floor.sh"), join(folder, "trees")], {
    cwd: repository,
  });
  assertAllThere(repository, shape);
  rmSync(folder, { recursive: true, force: true });
  return measured;
}

/** A benchmark of work that was not done says nothing. */
function assertAllThere(repository: string, shape: Shape): void {
  const files = execFileSync("git", ["ls-tree", "--name-only", "main:out"], {
    cwd: repository,
    encoding: "utf8",
  });
  const count = files.trim().split("\n").length;
  if (count !== shape.levels.flat().length) throw new Error(`${count} stages arrived on main`);
}
