import { assertNever } from "../../errors.ts";
import type { DegradeCause, GiveUpCause, Spent } from "../../task/task-cause.ts";
import { planningTexts } from "./planning-texts.ts";
import { taskTexts } from "./task-texts.ts";

/** Why there is no sound plan. */
export function whyDegraded(cause: DegradeCause): string {
  switch (cause.kind) {
    case "drafts":
      return planningTexts.noSoundPlan(cause);
    case "failures":
      return planningTexts.plannerFailed(cause.times, cause.reason);
    case "limit":
      return planningTexts.plannerSpent(whatIsSpent(cause.spent));
    default:
      return assertNever(cause);
  }
}

/** Why nothing came of a task. */
export function whyGivenUp(cause: GiveUpCause): string {
  switch (cause.kind) {
    case "failed":
      return cause.failure?.message ?? taskTexts.noReason();
    case "limit":
      return whatIsSpent(cause.spent);
    case "too-often":
      return taskTexts.tooOften(cause.sessions);
    default:
      return assertNever(cause);
  }
}

function whatIsSpent(spent: Spent): string {
  return spent.kind === "budget" ? taskTexts.overBudget(spent) : taskTexts.overTime(spent.secs, spent.limits);
}
