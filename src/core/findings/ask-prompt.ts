import { composePrompt } from "../prompt/compose-prompt.ts";
import type { Part } from "../prompt/fit-parts.ts";
import type { PromptTexts } from "../prompt/prompt-texts.ts";
import { type Change, type ChangePrompt, fitChange } from "../task/fit-change.ts";
import type { Task } from "../task/task.ts";
import {
  type Knowledge,
  knowledgeParts,
  mapPart,
  nowPart,
  placeName,
  requestPart,
  threadParts,
} from "../task/task-parts.ts";

export type AskInput = {
  readonly task: Pick<Task, "text" | "title" | "body" | "isPull" | "thread" | "line">;
  /** What the pull request changes; null: it was not asked on one. */
  readonly change: Change | null;
  readonly map: string | null;
  readonly knowledge: Knowledge;
};

/** The question stands behind the thread that it may belong to. `hash` is SHA-256 in hexadecimal. */
export function askPrompt(
  texts: PromptTexts,
  { task, change, map, knowledge }: AskInput,
  hash: (text: string) => string,
  budgetTokens?: number,
): ChangePrompt {
  const { ask, common } = texts.tasks;
  const parts = (shown: readonly Part[]): Part[] => [
    ...mapPart(map),
    ...knowledgeParts(knowledge),
    ...shown,
    ...threadParts(task),
    ...requestPart(
      `## The question${task.line ? `\n\nAsked on ${placeName(task.line.place)}:` : ""}`,
      task.text,
    ),
    nowPart("Answer the question from the code. Your last message is the answer, as people will read it."),
  ];
  return fitChange(change, (shown) => composePrompt([ask, common], parts(shown), hash, budgetTokens));
}
