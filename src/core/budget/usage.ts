import * as z from "zod";

export const usageSchema = z.object({
  inputTokens: z.number().nonnegative(),
  outputTokens: z.number().nonnegative(),
  costUsd: z.number().nonnegative().nullable(),
});
export type Usage = z.infer<typeof usageSchema>;

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

/** By what used it, so that people see which model costs what. */
export function addUsageOf(
  usageBy: ReadonlyMap<string, Usage>,
  agent: string,
  more: Usage | null,
): ReadonlyMap<string, Usage> {
  const sum = addUsage(usageBy.get(agent) ?? null, more);
  return more && sum ? new Map(usageBy).set(agent, sum) : usageBy;
}

/** Harness and model, as they are named wherever usage is counted. */
export function agentName({
  harness,
  model,
}: {
  readonly harness: string;
  readonly model: string | null;
}): string {
  return model === null ? harness : `${harness}/${model}`;
}
