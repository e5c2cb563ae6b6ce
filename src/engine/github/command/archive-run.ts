import type { Run } from "../../../core/run/run.ts";
import { assertEnded, recordArchived } from "../../run/steer-run.ts";
import type { RepoEngine } from "../host.ts";
import { clearLabels, forgetAllShown, showRun } from "../show/show-run.ts";

/** Removes all that an ended run has on GitHub but its record, and forgets it. */
export async function archiveRun(
  engine: RepoEngine,
  run: Run,
  by: string,
  gesture: string | null = null,
): Promise<void> {
  assertEnded(run);
  await closePlan(engine, run);
  await (await engine.forgeFor(run)).cleanUp(run.id, []);
  await clearLabels(engine, run);
  await engine.ledgerMirror.forgetLedger(run.id);
  await forgetAllShown(engine, run.id);
  // Last: a run that is archived is not found again, so what failed above could not be tried again.
  await recordArchived(engine, run.id, by, gesture);
}

/** LOOM_AUTO_ARCHIVE: once the documents are in the target. Until people have merged them, closing their pull request would throw them away. */
export async function archiveWhenMerged(engine: RepoEngine, run: Run): Promise<void> {
  const pull = run.offer ? await engine.pulls.pull(run.offer.pr) : null;
  if (pull?.open) return;
  // Nobody shows a run that is archived, and people want to see how it ended.
  await showRun(engine, run.id);
  await archiveRun(engine, run, "Loom");
}

/** Nobody can approve it any more, and its branch can't go while it is open. */
async function closePlan(engine: RepoEngine, { offer }: Run): Promise<void> {
  const pull = offer ? await engine.pulls.pull(offer.pr) : null;
  if (pull?.open) await engine.pulls.editPull(pull.number, { state: "closed" });
}
