import { DEFAULT_CONTEXT_BUDGET, MAX_CONTEXT_BUDGET } from "../plan/plan.ts";

/** Green: go on. Yellow: it will be needed soon. Red: a hand-off is due. */
export type ContextHealth = "green" | "yellow" | "red";

/** Percent of the model's window at which a session turns yellow. */
export const YELLOW_PERCENT = 60;
/** A stage with a tight budget is warned this many points before it. */
export const YELLOW_MARGIN = 5;

/** `percent` is how much of the window is taken, from 0 to 100; `budgetPercent` is the stage's own limit. */
export function contextHealth(percent: number, budgetPercent: number): ContextHealth {
  const red = redPercent(budgetPercent);
  const yellow = red <= YELLOW_PERCENT ? red - YELLOW_MARGIN : YELLOW_PERCENT;
  return percent >= red ? "red" : percent >= yellow ? "yellow" : "green";
}

/** Where a hand-off is due: the stage's budget, never above the cap, and the default when it makes no sense. */
export function redPercent(budgetPercent: number): number {
  return budgetPercent > 0 ? Math.min(budgetPercent, MAX_CONTEXT_BUDGET) : DEFAULT_CONTEXT_BUDGET;
}
