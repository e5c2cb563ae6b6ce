import type { Usage } from "../../budget/usage.ts";

/** What worked on a stage and what each used, the costliest first. */
export function usageLines(used: readonly { readonly name: string; readonly usage: Usage }[]): string[] {
  return [...used]
    .sort((a, b) => weight(b.usage) - weight(a.usage))
    .map(({ name, usage }) => `${name}: ${usageWords(usage)}`);
}

export function usageWords({ inputTokens, outputTokens, costUsd }: Usage): string {
  const cost = costUsd === null ? "" : `, ${costUsd.toFixed(2)} USD`;
  return `${inputTokens} tokens in, ${outputTokens} out${cost}`;
}

function weight({ inputTokens, outputTokens, costUsd }: Usage): number {
  return costUsd ?? (inputTokens + outputTokens) / 1e9;
}
