import { messageOf, needsPerson, StoreTrouble, type UserError } from "../../core/errors.ts";
import type { Failure } from "../../core/failure/failure.ts";
import { failures } from "../../core/report/texts/failure-texts.ts";
import { nextWords } from "../../core/report/texts/next-words.ts";
import { stageOf } from "../../core/run/run.ts";
import { AccessLost } from "../../ports/github/access-lost.ts";
import type { Job } from "../../ports/job-queue.ts";
import type { Engine } from "../engine.ts";
import { proveAndPublish } from "../verify/prove-and-publish.ts";
import { assertHeld, type Claim, Superseded, watchClaim, writeHeld } from "./claim.ts";
import { claimAttempt } from "./claim-attempt.ts";
import { Interrupted } from "./interrupted.ts";
import { prepareAttempt } from "./prepare-attempt.ts";

/**
 * One attempt of one stage: work tree, prompt, agent, commit, proof, branch. Each step leaves an event, and an attempt
 * that was cut off goes on behind the last one: nothing that is in the ledger is done twice.
 */
export async function runStage(
  engine: Engine,
  job: Extract<Job, { kind: "stage" }>,
  signal: AbortSignal,
): Promise<void> {
  const claimed = await claimAttempt(engine, job);
  if (claimed) {
    try {
      await runAttempt(engine, claimed.claim, signal);
    } finally {
      await claimed.lease.release();
    }
  }
  // Nothing to claim: somebody else has it, or something has to be written down first. Asking at once would only spin.
  await engine.queue.enqueue(
    { kind: "advance", run: job.run },
    claimed ? {} : { delayMs: NOTHING_TO_CLAIM_MS },
  );
}

const NOTHING_TO_CLAIM_MS = 500;

async function runAttempt(engine: Engine, claim: Claim, outer: AbortSignal): Promise<void> {
  const watch = watchClaim(engine, claim, outer);
  try {
    const run = await assertHeld(engine, claim);
    if (phaseOf(run, claim) === "working" && !(await prepareAttempt(engine, claim, watch.signal))) return;
    await proveAndPublish(engine, claim, watch.signal);
  } catch (error) {
    await giveBack(engine, claim, error, watch.signal);
  } finally {
    watch.close();
  }
}

function phaseOf(run: Awaited<ReturnType<typeof assertHeld>>, claim: Claim): string {
  const { state } = stageOf(run, claim.stage);
  return state.kind === "executing" ? state.phase : "none";
}

/** However an attempt ends, the ledger hears of it, unless the attempt has become somebody else's. */
export async function giveBack(
  engine: Engine,
  claim: Claim,
  error: unknown,
  signal: AbortSignal,
): Promise<void> {
  if (error instanceof Superseded) return;
  // A store that has room for this word, though not for the one before, would keep a reason that is not the attempt's.
  if (error instanceof StoreTrouble) throw error;
  try {
    if (error instanceof Interrupted || error instanceof AccessLost || signal.aborted) {
      await writeHeld(engine, claim, { type: "attempt-interrupted", reason: "stopped" });
    } else if (needsPerson(error)) {
      // Trying again would only meet the same: somebody has to act first.
      await writeHeld(engine, claim, { type: "merge-held", failure: heldBy(error) });
    } else {
      await writeHeld(engine, claim, {
        type: "attempt-failed",
        failure: failures.infrastructure(chain(error)),
        verdict: null,
      });
    }
  } catch (second) {
    if (!(second instanceof Superseded)) throw second;
  }
  // What follows from it concerns the whole repository, not this attempt.
  if (error instanceof AccessLost) throw error;
}

/** What stands in the way and what to do about it, in the words of whoever found it. */
export function heldBy(error: UserError): Failure {
  return failures.held(error.message, nextWords(error.next, "terminal"));
}

/** Operators see the whole chain of causes. */
function chain(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? ` (${chain(error.cause)})` : "";
  return `${messageOf(error)}${cause}`;
}
