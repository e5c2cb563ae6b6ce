import { failures } from "../core/report/failure-texts.ts";
import type { RunEvent } from "../core/run/events.ts";
import { type Run, type StageRecord, stageOf } from "../core/run/run.ts";
import type { Job } from "../ports/job-queue.ts";
import type { Claim } from "./claim.ts";
import type { Engine } from "./engine.ts";
import { timestamp } from "./engine.ts";

/**
 * Makes the attempt ours, or finds that it is not wanted. Of several workers with the same job one gets it, because the
 * claim is an event and only one of them can append it.
 */
export async function claimAttempt(
  engine: Engine,
  job: Extract<Job, { kind: "stage" }>,
): Promise<Claim | null> {
  const before = await engine.book.load(job.run);
  if (!before || !isWanted(before, job)) return null;
  const record = stageOf(before, job.stage);
  const base = record.open && record.base ? record.base : await baseFor(engine, before, record);
  if (base === null) return null;

  const claim: Claim = { run: job.run, stage: job.stage, attempt: job.attempt, token: engine.newId() };
  const run = await engine.book.write(job.run, (current) => {
    if (!isWanted(current, job)) return null;
    const common = { at: timestamp(engine), stage: job.stage, attempt: job.attempt, claim: claim.token };
    const event: RunEvent = stageOf(current, job.stage).open
      ? { type: "attempt-resumed", ...common }
      : { type: "attempt-started", ...common, base };
    return [event];
  });
  return run ? claim : null;
}

function isWanted(run: Run, job: Extract<Job, { kind: "stage" }>): boolean {
  const state = run.stages.get(job.stage)?.state;
  return (
    run.status === "running" &&
    run.cancelledBy === null &&
    state?.kind === "queued" &&
    state.attempt === job.attempt
  );
}

/**
 * Where a new attempt starts: below the work that it goes on with, else at the tip of the target. Laying earlier work on
 * a newer tip instead would take back whatever was merged in between.
 */
async function baseFor(engine: Engine, run: Run, record: StageRecord): Promise<string | null> {
  if (record.kept) return record.kept.base;
  const tip = await (await engine.forgeFor(run)).targetTip();
  const lost = await lostMerge(engine, run, record, tip);
  if (lost === null) return tip;
  const failure = failures.targetRewound(run.target, lost);
  await engine.book.write(run.id, (current) =>
    stageOf(current, record.plan.id).state.kind === "queued"
      ? [{ type: "stage-blocked", at: timestamp(engine), stage: record.plan.id, failure }]
      : null,
  );
  return null;
}

/** A dependency whose merge is no longer in the target's history. Ancestry decides, not what the ledger says. */
export async function lostMerge(
  engine: Engine,
  run: Run,
  record: StageRecord,
  tip: string,
): Promise<string | null> {
  if (tip === run.tip) return null;
  for (const id of record.plan.dependencies) {
    const { state } = stageOf(run, id);
    if (state.kind !== "completed" || state.merged === null) continue;
    if (!(await engine.workspaceFor(run).isAncestor(state.merged, tip))) return id;
  }
  return null;
}
