import { assertNever } from "../errors.ts";
import { type AgentProfile, isReadOnly } from "../plan/agent-profile.ts";
import type { StageType } from "../plan/plan.ts";
import { type Run, stageOf } from "../run/run.ts";
import { closingInstructions } from "./closing-instructions.ts";
import { composePrompt } from "./compose-prompt.ts";
import { dynamicParts } from "./dynamic-parts.ts";
import type { Prompt, PromptContext } from "./prompt.ts";
import type { StagePrompts } from "./prompt-texts.ts";
import { semiStableParts } from "./semi-stable-parts.ts";

export { BYTES_PER_TOKEN, PROMPT_BUDGET_TOKENS } from "./compose-prompt.ts";
export type { Prompt, PromptContext, PromptKind, PromptMetrics, PromptType } from "./prompt.ts";
export type { PromptTexts, StagePrompts } from "./prompt-texts.ts";

/** `hash` is SHA-256 in hexadecimal. */
export function buildPrompt(
  texts: StagePrompts,
  run: Run,
  stage: string,
  context: PromptContext,
  hash: (text: string) => string,
  budgetTokens?: number,
): Prompt {
  const record = stageOf(run, stage);
  const parts = [
    ...semiStableParts(run, stage, context.skills ?? []),
    ...dynamicParts(run, record, context),
    closingInstructions(record.plan, context, texts.completion),
  ];
  return {
    type: context.kind === "stage" && record.plan.type === "knowledge" ? "knowledge" : context.kind,
    ...composePrompt(rulesFor(texts, record.plan.type, context), parts, hash, budgetTokens),
  };
}

/** An agent that can't change files is not told to, and not that its files are what counts. */
function stageRules(texts: StagePrompts, type: StageType, agent: AgentProfile | null): string {
  if (!agent || !isReadOnly(agent)) return texts[type];
  return type === "knowledge" || type === "investigate" ? texts[type] : texts.reading[type];
}

/**
 * A session that goes on with another's work is told so first; the rules of its kind of stage hold all the same, and so
 * does the method of its agent. Resolving a conflict is a small piece of work of its own, for which no agent was chosen.
 */
function rulesFor(texts: StagePrompts, type: StageType, { kind, agent }: PromptContext): string[] {
  const own = stageRules(texts, type, agent ?? null).trim();
  const craft = agent ? [`## Your part: ${agent.name}`, agent.body] : [];
  switch (kind) {
    case "stage":
    case "retry":
      return [own, ...craft, texts.common];
    case "recovery":
    case "hand-off":
      return [texts[kind], own.replace(/^# .*\n+/, ""), ...craft, texts.common];
    case "merge-conflict":
      return [texts[kind], texts.common];
    default:
      return assertNever(kind);
  }
}
