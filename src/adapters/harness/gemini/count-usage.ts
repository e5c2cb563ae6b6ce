import type { Usage } from "../../../core/budget/usage.ts";
import { amountAt, type JsonObject } from "../cli/json-line.ts";
import type { Request } from "./conversations.ts";

/** More than a session ever makes; the sums at the end have the rest. */
const MOST_REQUESTS = 20_000;

type Tokens = { readonly input: number; readonly output: number };

/**
 * Adds up what a session uses, each token once: requests as they become known, and at the end what the sums have beyond
 * them, such as requests that were no part of the conversation. Input tokens are all of them, cached ones included; output
 * tokens include those that the model thought with. The CLI knows no prices.
 */
export function createUsageCounter() {
  const requests = new Map<string, Tokens>();
  let told: Tokens = { input: 0, output: 0 };
  let ended = false;

  const tell = (input: number, output: number): Usage | null => {
    const more = { input: Math.max(0, input), output: Math.max(0, output) };
    told = { input: told.input + more.input, output: told.output + more.output };
    if (more.input === 0 && more.output === 0) return null;
    return { inputTokens: more.input, outputTokens: more.output, costUsd: null };
  };

  return {
    /** The same request is written more than once, as its tools come to an end. */
    ofRequest({ id, input, output }: Request): Usage | null {
      if (ended || (requests.size >= MOST_REQUESTS && !requests.has(id))) return null;
      const seen = requests.get(id) ?? { input: 0, output: 0 };
      requests.set(id, { input: Math.max(seen.input, input), output: Math.max(seen.output, output) });
      return tell(input - seen.input, output - seen.output);
    },

    ofResult(stats: JsonObject | null): Usage | null {
      if (ended) return null;
      ended = stats !== null;
      const input = amountAt(stats, "input_tokens") ?? 0;
      const total = amountAt(stats, "total_tokens") ?? 0;
      const output = Math.max(amountAt(stats, "output_tokens") ?? 0, total - input);
      return tell(input - told.input, output - told.output);
    },
  };
}
