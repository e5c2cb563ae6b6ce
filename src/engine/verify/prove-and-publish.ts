import { assertNever, InternalError } from "../../core/errors.ts";
import type { Failure } from "../../core/failure/failure.ts";
import { explainVerdict } from "../../core/report/terminal/verdict-report.ts";
import { failures } from "../../core/report/texts/failure-texts.ts";
import { readerOf } from "../../core/roster/roster.ts";
import { type Run, type StageRecord, stageOf } from "../../core/run/run.ts";
import type { Verdict } from "../../core/verify/verdict.ts";
import type { StackBase } from "../../ports/forge.ts";
import { assertHeld, type Claim, writeHeld } from "../attempt/claim.ts";
import type { Engine } from "../engine.ts";
import { timestamp } from "../engine.ts";
import { leaveLine } from "../run/leave-line.ts";
import { checkDeps } from "./check-deps.ts";
import { verifyCommit } from "./verify-commit.ts";

/** Proves the attempt's commit on a clean checkout and puts the stage's branch on it. True when it may be merged. */
export async function proveAndPublish(engine: Engine, claim: Claim, abort: AbortSignal): Promise<boolean> {
  const run = await assertHeld(engine, claim);
  const record = stageOf(run, claim.stage);
  const { state } = record;
  if (state.kind !== "executing" || state.phase === "working")
    throw new InternalError(`nothing to prove in ${claim.stage}`);
  if (state.phase === "published") return true;

  if (state.phase === "committed") {
    const verdict = await prove(engine, run, record, claim, abort);
    if (verdict.outcome === "failed") {
      const left = await leaveLine(engine, claim);
      if (left === "stuck") return false;
      if (left === "moved") return proveAndPublish(engine, claim, abort);
      await writeHeld(engine, claim, {
        type: "attempt-failed",
        failure: failureOf(engine, run, record, verdict),
        verdict,
      });
      return false;
    }
    // Before the branch moves: proved again after a crash, it might fail, and its own branch would look like a stranger's.
    await writeHeld(engine, claim, { type: "attempt-verified", commit: commitOf(record).commit, verdict });
  }
  return publish(engine, run, record, claim);
}

async function prove(
  engine: Engine,
  run: Run,
  record: StageRecord,
  claim: Claim,
  abort: AbortSignal,
): Promise<Verdict> {
  const { commit, base } = commitOf(record);
  const progress = (text: string): void =>
    engine.feed({
      kind: "activity",
      run: run.id,
      stage: claim.stage,
      attempt: claim.attempt,
      at: timestamp(engine),
      text,
    });
  return verifyCommit(checkDeps(engine, run, claim), {
    plan: run.plan,
    stage: record.plan,
    gate: run.gate,
    commit,
    base,
    // What an integration check finds broken was broken by the run, not by the stages before it.
    ...(record.plan.type === "integration-verify" ? { gateBase: run.base } : {}),
    strictness: run.settings.strictness,
    gateChanges: run.settings.gateChanges,
    projectRoot: engine.projectRoot,
    marker: claim.token,
    onProgress: progress,
    signal: abort,
  });
}

function failureOf({ roster }: Engine, run: Run, record: StageRecord, verdict: Verdict): Failure {
  const { message, evidence } = explainVerdict(verdict);
  const reader = record.takenBy === null ? readerOf(roster, record.plan.agent) : null;
  if (reader) return failures.outOfReach(reader.name, message, evidence);
  if (record.stalled) return failures.stalledAndRed(message, evidence);
  // Published before and proved again: then only what was merged meanwhile can have changed the outcome.
  return record.publishedAt === null
    ? failures.checksFailed(message, evidence)
    : failures.checksFailedOnTarget(run.target, message, evidence);
}

async function publish(engine: Engine, run: Run, record: StageRecord, claim: Claim): Promise<boolean> {
  const { commit, base } = commitOf(record);
  const forge = await engine.forgeFor(run);
  const verified = stageOf(await assertHeld(engine, claim), claim.stage);
  const outcome = await forge.publish({
    run: run.id,
    stage: claim.stage,
    commit,
    previous: record.branch?.tip ?? null,
    base: stackBase(record, base),
    pr: record.pr,
    ...engine.describeStage(run, verified),
  });
  switch (outcome.kind) {
    case "published":
      await writeHeld(engine, claim, {
        type: "stage-published",
        commit,
        branch: outcome.branch,
        pr: outcome.pr,
      });
      return true;
    case "taken":
      await writeHeld(engine, claim, {
        type: "merge-held",
        failure: run.origin
          ? failures.branchMoved(outcome.branch, claim.stage)
          : failures.branchTaken(outcome.branch),
      });
      return false;
    case "held":
      await writeHeld(engine, claim, {
        type: "merge-held",
        failure: failures.held(outcome.reason, outcome.next),
      });
      return false;
    default:
      return assertNever(outcome);
  }
}

/** Several dependencies were joined where the base is none of their branches. */
function stackBase({ stack }: StageRecord, base: string): StackBase {
  if (stack.length === 0) return { kind: "target" };
  const parent = stack.find(({ tip }) => tip === base);
  return parent ? { kind: "stage", stage: parent.stage } : { kind: "joined", commit: base };
}

function commitOf(record: StageRecord): { commit: string; base: string } {
  if (!record.commit || !record.base) throw new InternalError(`stage ${record.plan.id} has no commit`);
  return { commit: record.commit, base: record.base };
}
