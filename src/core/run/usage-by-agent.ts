import { addUsage, type Usage } from "../budget/usage.ts";
import type { Run } from "./run.ts";

/** What the agents of a run used, by harness and model. */
export function usageByAgent({ stages, removed }: Pick<Run, "stages" | "removed">): Map<string, Usage> {
  const sums = new Map<string, Usage>();
  for (const { usageBy } of [...stages.values(), ...removed.values()])
    for (const [name, usage] of usageBy) sums.set(name, addUsage(sums.get(name) ?? null, usage) ?? usage);
  return sums;
}
