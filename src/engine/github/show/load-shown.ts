import type { RunId } from "../../../core/ids.ts";
import type { Run } from "../../../core/run/run.ts";
import type { RepoEngine } from "../host.ts";

/** A run as people are to see it now. */
export async function loadShown(engine: RepoEngine, id: RunId): Promise<Run | null> {
  const run = await engine.runs.load(id);
  return run ? withPlanAsItStands(engine, run) : null;
}

/**
 * While a plan waits, its head is wherever its branch stands now: that is the commit that people have before them, and
 * the only one that they can approve.
 */
async function withPlanAsItStands(engine: RepoEngine, run: Run): Promise<Run> {
  const { offer, approval } = run;
  if (!offer || approval.kind !== "awaited" || run.status !== "running") return run;
  const pull = await engine.pulls.pull(offer.pr);
  return pull ? { ...run, offer: { ...offer, head: pull.head.sha } } : run;
}
