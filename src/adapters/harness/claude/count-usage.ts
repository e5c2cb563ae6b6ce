import type { Usage } from "../../../core/budget/usage.ts";
import { amountAt, asObject, type JsonObject, objectAt, textAt } from "../cli/json-line.ts";

type Tokens = { readonly input: number; readonly output: number };

const NONE: Tokens = { input: 0, output: 0 };
/** Parts of one message follow each other closely; this many may be mixed. */
const OPEN_MESSAGES = 64;

/**
 * Adds up what a session uses, each token once. A message of the model comes in several lines, each with the same
 * numbers and with hardly any of its output counted; messages of sub-agents come in part. The result has the true sums,
 * of which what was told before is taken off.
 *
 * As for every CLI, input tokens are all of them, those read from or written to a cache included.
 */
export function createUsageCounter(resumed: boolean) {
  const messages = new Map<string, Tokens>();
  let told = NONE;
  let toldCost = 0;

  const tell = (more: Tokens, costUsd: number | null): Usage | null => {
    told = { input: told.input + more.input, output: told.output + more.output };
    if (more.input === 0 && more.output === 0 && costUsd === null) return null;
    return { inputTokens: more.input, outputTokens: more.output, costUsd };
  };

  return {
    /** Of one line with an assistant's message. */
    ofMessage(message: JsonObject | null): Usage | null {
      const id = textAt(message, "id")?.slice(0, 100) ?? null;
      const usage = objectAt(message, "usage");
      if (id === null || usage === null) return null;
      const seen = messages.get(id) ?? NONE;
      const now = larger(seen, tokensOf(usage));
      messages.delete(id);
      messages.set(id, now);
      for (const oldest of messages.keys()) {
        if (messages.size <= OPEN_MESSAGES) break;
        messages.delete(oldest);
      }
      return tell({ input: now.input - seen.input, output: now.output - seen.output }, null);
    },

    /** Of the line with the result: what was not told yet. */
    ofResult(result: JsonObject): Usage | null {
      const since = objectAt(result, "model_usage_since_last_result");
      if (since !== null) {
        const rest = tell(difference(sumOfModels(since), told), costOfModels(since));
        told = NONE;
        return rest;
      }
      // Without that field all sums go back to the beginning of the conversation, beyond this session when it goes on
      // with an earlier one; then only the tokens of the main agent are known.
      const usage = objectAt(result, "usage");
      if (resumed) return tell(difference(usage === null ? NONE : tokensOf(usage), told), null);
      const total = amountAt(result, "total_cost_usd");
      const cost = total === null ? null : Math.max(0, total - toldCost);
      toldCost += cost ?? 0;
      return tell(difference(sumOfModels(objectAt(result, "modelUsage") ?? {}), told), cost);
    },
  };
}

/** What the conversation takes of the model's window with this message. */
export function contextOf(message: JsonObject | null): number | null {
  const usage = objectAt(message, "usage");
  return usage === null ? null : tokensOf(usage).input;
}

/** The window of the model that the main agent works with. */
export function windowOf(result: JsonObject, model: string | null): number | null {
  const models = objectAt(result, "modelUsage") ?? {};
  const known = model === null ? null : amountAt(models, model, "contextWindow");
  if (known) return known;
  const entries = Object.values(models).map(asObject);
  const busiest = entries.toSorted((a, b) => tokensOfModel(b).input - tokensOfModel(a).input)[0];
  return amountAt(busiest ?? null, "contextWindow") || null;
}

function tokensOf(usage: JsonObject): Tokens {
  const input = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
  return {
    input: input.reduce((sum, key) => sum + (amountAt(usage, key) ?? 0), 0),
    output: amountAt(usage, "output_tokens") ?? 0,
  };
}

function tokensOfModel(model: JsonObject | null): Tokens {
  const input = ["inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens"];
  return {
    input: input.reduce((sum, key) => sum + (amountAt(model, key) ?? 0), 0),
    output: amountAt(model, "outputTokens") ?? 0,
  };
}

function sumOfModels(models: JsonObject): Tokens {
  return Object.values(models)
    .map((model) => tokensOfModel(asObject(model)))
    .reduce((sum, one) => ({ input: sum.input + one.input, output: sum.output + one.output }), NONE);
}

function costOfModels(models: JsonObject): number | null {
  const costs = Object.values(models).map((model) => amountAt(asObject(model), "costUSD"));
  return costs.every((cost) => cost === null)
    ? null
    : costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0);
}

function larger(a: Tokens, b: Tokens): Tokens {
  return { input: Math.max(a.input, b.input), output: Math.max(a.output, b.output) };
}

function difference(all: Tokens, part: Tokens): Tokens {
  return { input: Math.max(0, all.input - part.input), output: Math.max(0, all.output - part.output) };
}
