import type { Sha } from "../../core/ids.ts";
import { explainAsk } from "../../core/report/terminal/verdict-report.ts";
import { failures } from "../../core/report/texts/failure-texts.ts";
import { waits } from "../../core/report/texts/wait-texts.ts";
import { decide } from "../../core/run/decide.ts";
import { asksForPerson, isMergedByPeople } from "../../core/run/merged-by-people.ts";
import { type Run, type StageRecord, stageOf } from "../../core/run/run.ts";
import type { Job } from "../../ports/job-queue.ts";
import { assertHeld, type Claim, holdLease, type Lease, watchClaim, writeHeld } from "../attempt/claim.ts";
import { lostMerge } from "../attempt/claim-attempt.ts";
import { giveBack } from "../attempt/run-stage.ts";
import type { Engine } from "../engine.ts";
import { timestamp } from "../engine.ts";
import { followBase, waitToMerge } from "../run/follow-base.ts";
import { mergeNow, tellOutcome } from "./merge-now.ts";

/**
 * Brings a proved stage into the target, or as far towards it as it can be now. The target and the branches it is stacked
 * on may move at any time, so the work is moved without touching them, proved anew when it stands on something new, and
 * then merged by compare-and-swap; a lost swap starts over. Where people merge, or the proof asks for one, it stops short of
 * that and waits for them. What counts as merged is read from git: a stage that is already in the target is only written down.
 */
export async function mergeStage(
  engine: Engine,
  job: Extract<Job, { kind: "merge" }>,
  signal: AbortSignal,
): Promise<void> {
  const claimed = await claimMerge(engine, job, (run) => isDue(run, job.stage, engine));
  if (claimed) {
    const { claim, lease } = claimed;
    const watch = watchClaim(engine, claim, signal);
    try {
      await bringIn(engine, claim, watch.signal);
    } catch (error) {
      await giveBack(engine, claim, error, watch.signal);
    } finally {
      watch.close();
      await lease.release();
    }
  }
  await engine.queue.enqueue({ kind: "advance", run: job.run });
}

/** A claim of its own: the worker that published the stage, or a second one with the same job, can write no more. */
export async function claimMerge(
  engine: Engine,
  job: Pick<Claim, "run" | "stage">,
  mayMerge: (run: Run) => boolean,
): Promise<{ claim: Claim; lease: Lease } | null> {
  const before = await engine.runs.load(job.run);
  const state = before && mayMerge(before) ? stageOf(before, job.stage).state : null;
  if (state?.kind !== "executing") return null;
  const claim: Claim = { run: job.run, stage: job.stage, attempt: state.attempt, token: engine.newId() };
  const lease = await holdLease(engine, claim);
  const run = await engine.runs.write(job.run, (current) => {
    const now = current.stages.get(job.stage)?.state;
    if (!mayMerge(current) || now?.kind !== "executing" || now.attempt !== claim.attempt) return null;
    const { stage, attempt, token } = claim;
    return [{ type: "merge-claimed", at: timestamp(engine), stage, attempt, claim: token }];
  });
  if (run) return { claim, lease };
  await lease.release();
  return null;
}

function isDue(run: Run, stage: string, engine: Engine): boolean {
  return decide(run, engine.now()).some((action) => action.kind === "merge" && action.stage === stage);
}

/** A target that moves faster than Loom can prove merges is a matter for a person. */
const PATIENCE = 10;

export async function bringIn(engine: Engine, claim: Claim, abort: AbortSignal): Promise<void> {
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
  // A queue takes what was proved on an older target and proves it on the newest: following would only throw it out. The
  // target may move at any moment, so this is not asked of where it stood a moment ago.
  const { base } = record;
  if (!isMergedByPeople(run, record) && record.pr !== null && base !== null) {
    if ((await bringInNow(engine, claim, { commit, onto: base }, abort)) === "done") return "done";
  }
  const followed = await followBase(engine, claim, run, record, abort);
  if (followed === null) return "done";
  // What had to follow was proved anew, and that proof counts.
  const proved = stageOf(await assertHeld(engine, claim), claim.stage);
  if (isMergedByPeople(run, proved)) {
    await leaveToPeople(engine, claim, run, proved);
    return "done";
  }
  return bringInNow(engine, claim, followed, abort);
}

/** Without pull requests nobody would see that it waits: there, the stage stops with the reason and the way on. */
async function leaveToPeople(engine: Engine, claim: Claim, run: Run, record: StageRecord): Promise<void> {
  if (!record.verdict || !asksForPerson(record))
    return waitToMerge(engine, claim, { ...waits.person(), retryMs: null });
  const { message, evidence } = explainAsk(record.verdict);
  if (run.origin) return waitToMerge(engine, claim, { ...waits.gateChanged(message), retryMs: null });
  const failure = failures.gateChanged(message, evidence, run.id, claim.stage, run.target);
  await writeHeld(engine, claim, { type: "merge-held", failure });
}

async function bringInNow(
  engine: Engine,
  claim: Claim,
  work: { readonly commit: Sha; readonly onto: Sha },
  abort: AbortSignal,
): Promise<"done" | "again"> {
  const outcome = await mergeNow(engine, claim, work, abort);
  if (outcome.kind === "moved") return "again";
  await tellOutcome(engine, claim, work.commit, outcome);
  return "done";
}
