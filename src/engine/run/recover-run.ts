import type { RunId } from "../../core/ids.ts";
import type { RunEvent } from "../../core/run/events.ts";
import type { Run, StageRecord } from "../../core/run/run.ts";
import { leaseName } from "../attempt/claim.ts";
import { type LeftWork, reportCrash, saveWork } from "../attempt/save-work.ts";
import type { Engine } from "../engine.ts";
import { timestamp } from "../engine.ts";

/**
 * Takes over a run whose driver died: ends what it left running, keeps the work its agents had done, and gives their
 * attempts back to the queue. Call it only while holding the run's lease, when nobody can be at work.
 */
export async function recoverRun(engine: Engine, id: RunId): Promise<void> {
  const run = await engine.runs.load(id);
  if (!run) return;
  // The work trees of the dead process are this one's from here on, and go when it does.
  engine.workspaceFor(run);
  for (const [stage, record] of run.stages) {
    if (record.state.kind === "executing") await recoverStage(engine, run, stage, record);
  }
}

/** Where several workers share a run: takes back only what nobody alive holds. */
export async function recoverLost(engine: Engine, id: RunId): Promise<number> {
  const run = await engine.runs.load(id);
  if (run?.status !== "running") return 0;
  let lost = 0;
  for (const [stage, record] of run.stages) {
    const { state } = record;
    // A published stage waits for its turn, and nobody needs to be there for that.
    if (state.kind !== "executing" || (state.phase === "published" && !record.merging)) continue;
    if (await engine.leases.isHeld(leaseName(state.claim))) continue;
    await recoverStage(engine, run, stage, record);
    lost += 1;
  }
  return lost;
}

async function recoverStage(engine: Engine, run: Run, stage: string, record: StageRecord): Promise<void> {
  const { state } = record;
  if (state.kind !== "executing") return;
  await engine.supervisor.reap(state.claim);
  const events = await whatBecameOf(engine, run, record, state);
  await engine.runs.write(run.id, (current) => {
    const now = current.stages.get(stage)?.state;
    return now?.kind === "executing" && now.claim === state.claim ? events : null;
  });
}

type Executing = Extract<StageRecord["state"], { kind: "executing" }>;

async function whatBecameOf(
  engine: Engine,
  run: Run,
  record: StageRecord,
  state: Executing,
): Promise<RunEvent[]> {
  const common = { at: timestamp(engine), stage: record.plan.id, attempt: state.attempt };
  if (record.merging) {
    // The swap may have been done without anybody writing it down; git has the last word.
    const merged = await (await engine.forgeFor(run)).findMerged(run.id, record.plan.id, run.base);
    if (merged) return [{ type: "stage-merged", ...common, commit: record.merging.commit, merged }];
  }
  const kept = state.phase === "working" ? await keepLeftovers(engine, run, record, state) : [];
  // A stage that merely waited for its turn to be merged can't have ended anything.
  const reason = state.phase === "published" && !record.merging ? "stopped" : "died";
  return [...kept, { type: "attempt-interrupted", ...common, reason }];
}

async function keepLeftovers(
  engine: Engine,
  run: Run,
  record: StageRecord,
  { attempt, claim }: Executing,
): Promise<RunEvent[]> {
  const { session, base, plan } = record;
  // A session that had ended counts as well: Loom may have died before it made a commit of the work.
  if (session?.marker !== claim || base === null) return [];
  const workspace = engine.workspaceFor(run);
  const tree = await workspace.reclaim(session.tree);
  if (!tree) return [];
  try {
    const left: LeftWork = { run, plan, attempt, tree, base };
    const saved = await saveWork(engine, left);
    const logs = await engine.files.readLogs(run.id, plan.id);
    const tail = (logs.find((log) => log.attempt === attempt)?.text ?? "").split("\n").slice(-40).join("\n");
    await reportCrash(engine, left, { saved, how: "Loom itself ended while it ran", tail });
    return saved
      ? [{ type: "work-kept", at: timestamp(engine), stage: plan.id, attempt, commit: saved, base }]
      : [];
  } finally {
    await workspace.close(tree);
  }
}
