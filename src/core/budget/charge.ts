import type { Usage } from "./usage.ts";

/**
 * What tokens count for against a budget when nobody names their price, in and out together. An agent reads far more than
 * it writes, most of it again and again from a cache: today's large models mostly cost less, so a budget holds.
 */
export const USD_PER_MILLION_TOKENS = 2;

/** What a session counts for against its budget. The cost that people are shown stays unknown where nobody named it. */
export function chargeOf(usage: Usage | null): number {
  if (!usage) return 0;
  return usage.costUsd ?? ((usage.inputTokens + usage.outputTokens) / 1_000_000) * USD_PER_MILLION_TOKENS;
}
