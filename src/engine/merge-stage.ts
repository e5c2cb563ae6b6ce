import { assertNever } from "../core/errors.ts";
import { failures } from "../core/report/failure-texts.ts";
import { decide } from "../core/run/decide.ts";
import { type Run, stageOf } from "../core/run/run.ts";
import type { Job } from "../ports/job-queue.ts";
import { assertHeld, type Claim, watchClaim, writeHeld, writeIntent } from "./claim.ts";
import { lostMerge } from "./claim-attempt.ts";
import type { Engine } from "./engine.ts";
import { proveAndPublish } from "./prove-and-publish.ts";
import { giveBack } from "./run-stage.ts";

/**
 * Brings a proved stage into the target. The target may move at any time, so the merge is built without touching it,
 * proved when it is more than a fast-forward, and then put in place by compare-and-swap; a lost swap starts over. What
 * counts as merged is read from git: a stage whose commit is already in the target is only written down.
 */
export async function mergeStage(
  engine: Engine,
  job: Extract<Job, { kind: "merge" }>,
  signal: AbortSignal,
): Promise<void> {
  const run = await engine.book.load(job.run);
  const claim = run && isDue(run, job.stage, engine) ? claimOf(run, job.stage) : null;
  if (claim) {
    const watch = watchClaim(engine, claim, signal);
    try {
      await bringIn(engine, claim, watch.signal);
    } catch (error) {
      await giveBack(engine, claim, error, watch.signal);
    } finally {
      watch.close();
    }
  }
  await engine.queue.enqueue({ kind: "advance", run: job.run });
}

function isDue(run: Run, stage: string, engine: Engine): boolean {
  return decide(run, engine.now()).some((action) => action.kind === "merge" && action.stage === stage);
}

function claimOf(run: Run, stage: string): Claim | null {
  const { state } = stageOf(run, stage);
  return state.kind === "executing"
    ? { run: run.id, stage, attempt: state.attempt, token: state.claim }
    : null;
}

/** A target that moves faster than Loom can prove merges is a matter for a person. */
const PATIENCE = 10;

async function bringIn(engine: Engine, claim: Claim, abort: AbortSignal): Promise<void> {
  for (let round = 0; round < PATIENCE; round += 1) {
    if ((await mergeOnce(engine, claim, abort)) === "done") return;
  }
  await writeHeld(engine, claim, {
    type: "merge-held",
    failure: failures.infrastructure(`The target moved ${PATIENCE} times while the merge was being proved.`),
  });
}

async function mergeOnce(engine: Engine, claim: Claim, abort: AbortSignal): Promise<"done" | "again"> {
  const run = await assertHeld(engine, claim);
  const record = stageOf(run, claim.stage);
  const forge = await engine.forgeFor(run);
  const commit = record.commit ?? "";
  const tip = await forge.targetTip();
  // Where Loom itself last left the target, this stage can't be in it yet.
  const found = tip === run.tip ? null : await forge.findMerged(run.id, claim.stage, run.base);
  if (found) {
    await writeHeld(engine, claim, { type: "stage-merged", commit, merged: found });
    return "done";
  }
  const lost = await lostMerge(engine, run, record, tip);
  if (lost) {
    await writeHeld(engine, claim, { type: "merge-held", failure: failures.targetRewound(run.target, lost) });
    return "done";
  }
  const merge = await engine.workspaceFor(run).transplant(commit, tip);
  if (merge.kind === "conflict") {
    await writeHeld(engine, claim, { type: "merge-conflicted", commit, onto: tip, files: [...merge.files] });
    return "done";
  }
  if (merge.commit !== commit) {
    // A new commit on a new base has been proved by nobody yet.
    await writeHeld(engine, claim, {
      type: "attempt-committed",
      commit: merge.commit,
      base: tip,
      files: [...record.files],
      stalled: record.stalled,
    });
    if (!(await proveAndPublish(engine, claim, abort))) return "done";
  }
  await writeIntent(engine, claim, { type: "merge-started", commit: merge.commit, onto: tip });
  const outcome = await forge.merge({ run: run.id, stage: claim.stage, commit: merge.commit, onto: tip });
  switch (outcome.kind) {
    case "merged":
      await writeHeld(engine, claim, { type: "stage-merged", commit: merge.commit, merged: merge.commit });
      return "done";
    case "moved":
      return "again";
    case "held":
      await writeHeld(engine, claim, {
        type: "merge-held",
        failure: failures.held(outcome.reason, outcome.next),
      });
      return "done";
    default:
      return assertNever(outcome);
  }
}
