import type { Run } from "../run/run.ts";

/** What the agents of a run have cost so far, as far as they said. */
export function costOf(run: Pick<Run, "stages">): number {
  let cost = 0;
  for (const { usage } of run.stages.values()) cost += usage?.costUsd ?? 0;
  return cost;
}

export function isOverBudget(run: Pick<Run, "stages" | "settings">): boolean {
  const { budgetUsd } = run.settings;
  return budgetUsd != null && costOf(run) >= budgetUsd;
}
