import { failures } from "../../core/report/texts/failure-texts.ts";
import type { RunEvent } from "../../core/run/events.ts";
import { lacksApproval, type Run, type StackParent, type StageRecord, stageOf } from "../../core/run/run.ts";
import type { Job } from "../../ports/job-queue.ts";
import type { Engine } from "../engine.ts";
import { timestamp } from "../engine.ts";
import { foundationOf, sameStack, unmergedParents } from "../run/foundation.ts";
import { type Claim, holdLease, type Lease, writeHeld } from "./claim.ts";

export type ClaimedAttempt = { readonly claim: Claim; readonly lease: Lease };

/**
 * Makes the attempt ours, or finds that it is not wanted. Of several workers with the same job one gets it, because the
 * claim is an event and only one of them can append it.
 */
export async function claimAttempt(
  engine: Engine,
  job: Extract<Job, { kind: "stage" }>,
): Promise<ClaimedAttempt | null> {
  const before = await engine.runs.load(job.run);
  if (!before || !isWanted(before, job)) return null;
  // A lost webhook must not let an agent start on a plan that was changed after its approval (T4).
  if (!(await engine.stillApproved(before))) return null;
  const record = stageOf(before, job.stage);
  const start = record.open && record.base ? null : await startFor(engine, before, record);
  if (start === "wait") return null;

  const claim: Claim = { run: job.run, stage: job.stage, attempt: job.attempt, token: engine.newId() };
  // Before the claim is written: whoever reads it must find its holder alive.
  const lease = await holdLease(engine, claim);
  const run = await engine.runs.write(job.run, (current) => {
    if (!isWanted(current, job)) return null;
    const common = {
      at: timestamp(engine),
      stage: job.stage,
      attempt: job.attempt,
      claim: claim.token,
      sandbox: engine.sandboxes.kind,
    };
    if (stageOf(current, job.stage).open) return [{ type: "attempt-resumed", ...common }];
    if (!start) return null;
    return [{ type: "attempt-started", ...common, base: start.base, stack: [...start.stack] }];
  });
  if (!run) {
    await lease.release();
    return null;
  }
  await findWork(engine, run, claim);
  return { claim, lease };
}

function isWanted(run: Run, job: Extract<Job, { kind: "stage" }>): boolean {
  const state = run.stages.get(job.stage)?.state;
  return (
    run.status === "running" &&
    run.cancelledBy === null &&
    run.pausedBy === null &&
    !lacksApproval(run) &&
    state?.kind === "queued" &&
    state.attempt === job.attempt
  );
}

type Start = { readonly base: string; readonly stack: readonly StackParent[] };

/**
 * Where a new attempt starts: below the work that it goes on with, else on what the stage stands on. Laying earlier work
 * on a newer tip instead would take back whatever was merged in between.
 */
async function startFor(engine: Engine, run: Run, record: StageRecord): Promise<Start | "wait"> {
  if (record.kept) return { base: record.kept.base, stack: record.stack };
  const foundation = await foundationOf(engine, run, record);
  if (foundation.kind === "unsettled") return "wait";
  if (foundation.kind === "conflict") {
    const stage = record.plan.id;
    const event: RunEvent = {
      type: "stack-conflicted",
      at: timestamp(engine),
      stage,
      files: [...foundation.files],
    };
    // What it stands on may have moved meanwhile, and with it the reason to wait.
    await engine.runs.write(run.id, (current) => {
      const now = current.stages.get(stage);
      const isSame = now && sameStack(unmergedParents(current, now), foundation.stack);
      return now?.state.kind === "queued" && isSame ? [event] : null;
    });
    return "wait";
  }
  const lost = await lostMerge(engine, run, record, foundation.target);
  if (lost === null) return { base: foundation.commit, stack: foundation.stack };
  const failure = failures.targetRewound(run.target, lost);
  await write(engine, run, record, {
    type: "stage-blocked",
    at: timestamp(engine),
    stage: record.plan.id,
    failure,
  });
  return "wait";
}

async function write(engine: Engine, run: Run, record: StageRecord, event: RunEvent): Promise<void> {
  await engine.runs.write(run.id, (current) =>
    current.stages.get(record.plan.id)?.state.kind === "queued" ? [event] : null,
  );
}

/**
 * What the attempt goes on with may have been made by a worker on another machine. What was pushed can be fetched; what
 * died with that worker is gone, and the agent starts again.
 */
async function findWork(engine: Engine, run: Run, claim: Claim): Promise<void> {
  const record = stageOf(run, claim.stage);
  const commits = [
    record.commit,
    record.base,
    record.kept?.commit,
    record.kept?.base,
    record.conflict?.commit,
  ];
  const missing = await (await engine.forgeFor(run)).fetch(commits.filter((sha) => typeof sha === "string"));
  if (missing.length === 0) return;
  const foundation = await foundationOf(engine, run, record);
  if (foundation.kind !== "ready") return;
  await writeHeld(engine, claim, {
    type: "work-lost",
    base: foundation.commit,
    stack: [...foundation.stack],
  });
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
