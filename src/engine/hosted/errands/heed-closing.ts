import type { Errand } from "../../../core/errand/errand.ts";
import { observations } from "../../../core/report/observation-texts.ts";
import { cancelErrand } from "../../errand/run-errand.ts";
import type { RepoEngine } from "../host.ts";
import { errandsAtWork } from "./find-errands.ts";
import { sendErrand } from "./send-errand.ts";

/**
 * Who closes an issue wants no plan for it any more: its planner stops, also one that waits for answers (F20). What only
 * reads goes on, for people ask about what is merged or closed. Opening it again sends nobody.
 */
export async function heedClosing(engine: RepoEngine, number: number): Promise<void> {
  await stopPlanners(engine, await errandsAtWork(engine, number));
}

/** The same for whatever is open, where nobody was told of the closing. */
export async function stopPlanners(engine: RepoEngine, open: readonly Errand[]): Promise<void> {
  for (const errand of open) {
    const { id, kind, origin, wasClosed, cancelledBy } = errand;
    if (kind !== "plan" || !origin || wasClosed || cancelledBy !== null) continue;
    const issue = await engine.hub.issue(origin.issue);
    if (!issue || issue.open) continue;
    if (await cancelErrand(engine, id, observations.closedIssue(origin.issue)))
      await sendErrand(engine, errand);
  }
}
