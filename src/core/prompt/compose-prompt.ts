import { byteLength } from "../markdown/cut-markdown.ts";
import { fitParts, type Part } from "./fit-parts.ts";
import type { Prompt } from "./prompt.ts";

export const PROMPT_BUDGET_TOKENS = 24_000;
export const BYTES_PER_TOKEN = 4;

/** A prompt, and what of its parts had to be shortened or left out. */
export type Composed = Pick<Prompt, "text" | "rules" | "task" | "metrics"> & {
  readonly shortened: readonly Part[];
};

/** The text of any session: the rules, which stay the same for all of a kind, then the task, cut to fit. */
export function composePrompt(
  rules: readonly string[],
  parts: readonly Part[],
  hash: (text: string) => string,
  budgetTokens: number = PROMPT_BUDGET_TOKENS,
): Composed {
  const prefix = joinRules(rules);
  const prefixBytes = byteLength(prefix);
  const fitted = fitParts(parts, Math.max(0, budgetTokens * BYTES_PER_TOKEN - prefixBytes - 3));
  const task = `${fitted.text}\n`;
  const text = `${prefix}\n\n${task}`;
  const bytes = byteLength(text);
  return {
    text,
    rules: prefix,
    task,
    metrics: {
      prefixHash: hash(prefix).slice(0, 16),
      prefixBytes,
      bytes,
      tokens: Math.ceil(bytes / BYTES_PER_TOKEN),
      cut: fitted.cut,
    },
    shortened: fitted.shortened,
  };
}

function joinRules(rules: readonly string[]): string {
  return rules
    .map((text) => text.replace(/\r\n?/g, "\n").trim())
    .filter((text) => text !== "")
    .join("\n\n");
}
