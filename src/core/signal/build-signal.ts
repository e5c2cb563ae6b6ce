import { assertNever } from "../errors.ts";
import type { StageType } from "../plan/plan.ts";
import { byteLength } from "../report/github/cut-markdown.ts";
import { type Run, stageOf } from "../run/run.ts";
import { dynamicParts } from "./dynamic-parts.ts";
import { fitParts } from "./fit-parts.ts";
import { recitation } from "./recitation.ts";
import { semiStableParts } from "./semi-stable-parts.ts";
import type { Signal, SignalContext, SignalKind } from "./signal.ts";
import type { SignalTexts } from "./signal-texts.ts";

export type { Signal, SignalContext, SignalKind, SignalMetrics, SignalType } from "./signal.ts";
export type { PromptTexts, SignalTexts } from "./signal-texts.ts";

export const SIGNAL_BUDGET_TOKENS = 24_000;
export const BYTES_PER_TOKEN = 4;

/** `hash` is SHA-256 in hexadecimal. */
export function buildSignal(
  texts: SignalTexts,
  run: Run,
  stage: string,
  context: SignalContext,
  hash: (text: string) => string,
  budgetTokens: number = SIGNAL_BUDGET_TOKENS,
): Signal {
  const record = stageOf(run, stage);
  const rules = rulesFor(texts, record.plan.type, context.kind);
  const prefixBytes = byteLength(rules);
  const fitted = fitParts(
    [
      ...semiStableParts(run, stage),
      ...dynamicParts(run, record, context),
      recitation(record.plan, context, texts.completion),
    ],
    budgetTokens * BYTES_PER_TOKEN - prefixBytes - 3,
  );
  const task = `${fitted.text}\n`;
  const text = `${rules}\n\n${task}`;
  const bytes = byteLength(text);
  return {
    type: context.kind === "stage" && record.plan.type === "knowledge" ? "knowledge" : context.kind,
    text,
    rules,
    task,
    metrics: {
      prefixHash: hash(rules).slice(0, 16),
      prefixBytes,
      bytes,
      tokens: Math.ceil(bytes / BYTES_PER_TOKEN),
      cut: fitted.cut,
    },
  };
}

/** A session that goes on with another's work is told so first; the rules of its kind of stage hold all the same. */
function rulesFor(texts: SignalTexts, type: StageType, kind: SignalKind): string {
  const own = texts[type].trim();
  switch (kind) {
    case "stage":
    case "retry":
      return join(own, texts.common);
    case "recovery":
    case "hand-off":
      return join(texts[kind], own.replace(/^# .*\n+/, ""), texts.common);
    case "merge-conflict":
      return join(texts[kind], texts.common);
    default:
      return assertNever(kind);
  }
}

function join(...texts: readonly string[]): string {
  return texts.map((text) => text.replace(/\r\n?/g, "\n").trim()).join("\n\n");
}
