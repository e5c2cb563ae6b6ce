import type { Millis } from "../../ids.ts";
import type { Task } from "../../task/task.ts";
import { plainText } from "../../text/escape-text.ts";

export type CostView = Pick<Task, "usage" | "workedMs" | "usageBy" | "harnesses">;

/** What a task took, for people: `claude/opus · 12,345 tokens in, 1,234 out · $0.12 · 1 min 3 s`. */
export function costLine({ usage, workedMs, usageBy, harnesses }: CostView): string {
  // Not everybody says what they used.
  const by = usageBy.size > 0 ? [...usageBy.keys()] : harnesses;
  const names = by.slice(0, 4).map((name) => plainText(name).slice(0, 80));
  const tokens = usage
    ? `${grouped(usage.inputTokens)} tokens in, ${grouped(usage.outputTokens)} out`
    : "tokens not reported";
  return [names.join(" and "), tokens, costWords(usage?.costUsd ?? null), timeWords(workedMs)]
    .filter((part) => part !== "")
    .join(" · ");
}

/** Not every harness says what it cost, and no number is invented for it. */
function costWords(costUsd: number | null): string {
  if (costUsd === null) return "cost unknown";
  return costUsd > 0 && costUsd < 0.01 ? "less than $0.01" : `$${costUsd.toFixed(2)}`;
}

function timeWords(ms: Millis): string {
  const secs = Math.max(0, Math.round(ms / 1000));
  if (secs < 60) return `${secs} s`;
  const mins = Math.floor(secs / 60);
  return mins < 60 ? `${mins} min ${secs % 60} s` : `${Math.floor(mins / 60)} h ${mins % 60} min`;
}

/** The same on every machine. */
function grouped(n: number): string {
  return String(Math.round(n)).replace(/\B(?=(?:\d{3})+$)/g, ",");
}
