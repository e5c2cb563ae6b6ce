import { assertNever } from "../../core/errors.ts";
import type { Sha } from "../../core/ids.ts";
import { failures } from "../../core/report/texts/failure-texts.ts";
import { stageOf } from "../../core/run/run.ts";
import type { MergeOutcome } from "../../ports/forge.ts";
import { assertHeld, type Claim, writeHeld, writeIntent } from "../attempt/claim.ts";
import { stageMessage } from "../attempt/save-work.ts";
import type { Engine } from "../engine.ts";
import { waitToMerge } from "../run/follow-base.ts";

/** `tree`: what was proved as the target's next tree, where the commit itself stands on something older. */
export type ProvedWork = { readonly commit: Sha; readonly onto: Sha; readonly tree?: Sha };

/** Asks the forge for the merge, behind an event that says so: after a crash git tells whether it happened. */
export async function mergeNow(
  engine: Engine,
  claim: Claim,
  { commit, onto, tree }: ProvedWork,
  abort: AbortSignal,
): Promise<MergeOutcome> {
  if (abort.aborted) await assertHeld(engine, claim);
  await writeIntent(engine, claim, { type: "merge-started", commit, onto });
  const run = await assertHeld(engine, claim);
  const record = stageOf(run, claim.stage);
  const forge = await engine.forgeFor(run);
  return forge.merge({
    run: run.id,
    stage: claim.stage,
    commit,
    onto,
    ...(tree === undefined ? {} : { tree }),
    pr: record.pr,
    message: stageMessage(run, record.plan, claim.attempt),
  });
}

/** What falls out of the merge queue this often does so for a reason that a person has to find. */
const MAX_ENTRIES = 3;

/** Writes down how it ended. */
export async function tellOutcome(
  engine: Engine,
  claim: Claim,
  commit: Sha,
  outcome: Exclude<MergeOutcome, { kind: "moved" }>,
): Promise<void> {
  switch (outcome.kind) {
    case "merged":
      await writeHeld(engine, claim, { type: "stage-merged", commit, merged: outcome.as });
      return;
    case "waiting": {
      const { pr, queueEntries } = stageOf(await assertHeld(engine, claim), claim.stage);
      if (outcome.entered && queueEntries >= MAX_ENTRIES)
        await writeHeld(engine, claim, {
          type: "merge-held",
          failure: failures.leftQueue(pr, queueEntries),
        });
      else await waitToMerge(engine, claim, outcome);
      return;
    }
    case "held":
      await writeHeld(engine, claim, {
        type: "merge-held",
        failure: failures.held(outcome.reason, outcome.next),
      });
      return;
    default:
      assertNever(outcome);
  }
}
