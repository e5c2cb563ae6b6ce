import type { Run } from "./run.ts";

/** What the agents of a run have cost so far, as far as they said. */
export function costOf({ stages, removed }: Pick<Run, "stages" | "removed">): number {
  let cost = 0;
  for (const { usage } of stages.values()) cost += usage?.costUsd ?? 0;
  // What was done for an earlier plan was paid for as well.
  for (const { usage } of removed.values()) cost += usage?.costUsd ?? 0;
  return cost;
}

export function isOverBudget(run: Pick<Run, "stages" | "removed" | "settings">): boolean {
  const { budgetUsd } = run.settings;
  return budgetUsd != null && costOf(run) >= budgetUsd;
}
