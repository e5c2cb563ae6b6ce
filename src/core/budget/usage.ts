import type { Usage } from "../run/events.ts";
import type { Run } from "../run/run.ts";

/** Tokens and money, added up; the cost stays unknown until one part knows it. */
export function addUsage(a: Usage | null, b: Usage | null): Usage | null {
  if (!a || !b) return a ?? b;
  const costUsd = a.costUsd === null && b.costUsd === null ? null : (a.costUsd ?? 0) + (b.costUsd ?? 0);
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    costUsd,
  };
}

/** What the agents of a run used, by harness and model. */
export function usageByAgent({ stages }: Pick<Run, "stages">): Map<string, Usage> {
  const sums = new Map<string, Usage>();
  for (const { usageBy } of stages.values())
    for (const [name, usage] of usageBy) sums.set(name, addUsage(sums.get(name) ?? null, usage) ?? usage);
  return sums;
}
