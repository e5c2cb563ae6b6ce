import { amountAt, jsonLine, objectAt, textAt } from "../cli/json-line.ts";

/** Sums since the beginning of the thread; input tokens are all of them, cached ones included. */
export type Totals = { readonly input: number; readonly output: number };

export type RolloutNews =
  | {
      readonly kind: "tokens";
      readonly at: number;
      readonly totals: Totals | null;
      readonly context: { readonly used: number; readonly window: number } | null;
    }
  | { readonly kind: "compacted"; readonly at: number };

/** The beginning of a line says what it is, and the rest of it may be missing. */
const HEAD = 250;

export function readRolloutLine(line: string): RolloutNews | null {
  const head = line.slice(0, HEAD);
  const type = /"type":\s*"(compacted|event_msg)"/.exec(head)?.[1];
  const at = Date.parse(/"timestamp":\s*"([^"]+)"/.exec(head)?.[1] ?? "") || 0;
  if (type === "compacted") return { kind: "compacted", at };
  if (type === undefined || !head.includes(`"token_count"`)) return null;
  const entry = jsonLine(line);
  if (textAt(entry, "payload", "type") !== "token_count") return null;
  const info = objectAt(entry, "payload", "info");
  const last = objectAt(info, "last_token_usage");
  const used = amountAt(last, "total_tokens") ?? amountAt(last, "input_tokens");
  const window = amountAt(info, "model_context_window");
  return {
    kind: "tokens",
    at,
    totals: totalsIn(objectAt(info, "total_token_usage")),
    context: used === null || !window ? null : { used, window },
  };
}

export function totalsIn(usage: ReturnType<typeof objectAt>): Totals | null {
  const input = amountAt(usage, "input_tokens");
  const output = amountAt(usage, "output_tokens");
  return input === null && output === null ? null : { input: input ?? 0, output: output ?? 0 };
}
