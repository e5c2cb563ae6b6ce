import type { Usage } from "../../budget/usage.ts";
import type { Sha } from "../../ids.ts";
import type { Task } from "../../task/task.ts";
import { plainLines, plainText } from "../../text/escape-text.ts";
import { type CostView, costLine } from "../terminal/cost-line.ts";
import { paint } from "../terminal/paint.ts";

export type AnswerView = CostView & Pick<Task, "id" | "text" | "commit" | "answer" | "outcome">;

/** What `loom ask` prints. */
export function renderAnswer(view: AnswerView, { color }: { readonly color: boolean }): string {
  const cost = costLine(view);
  const words = view.answer === null ? whyNone(view) : plainLines(view.answer).trim();
  return `${words}\n\n${paint(cost, "quiet", color)}\n`;
}

function whyNone({ outcome }: AnswerView): string {
  if (outcome?.kind === "refused") return plainText(`There is no answer: ${outcome.reason} ${outcome.next}`);
  return "There is no answer: it was cancelled.";
}

/** What `--json` prints. */
export type AnswerJson = {
  readonly type: "answer";
  readonly task: string;
  readonly commit: Sha;
  readonly question: string;
  /** null: there is none, for this reason. */
  readonly answer: string | null;
  readonly reason: string | null;
  readonly usage: Usage | null;
  readonly workedMs: number;
};

export function answerJson(view: AnswerView): AnswerJson {
  const { id, commit, text, answer, outcome, usage, workedMs } = view;
  return {
    type: "answer",
    task: id,
    commit,
    question: text,
    answer,
    reason: outcome?.kind === "refused" ? `${outcome.reason} ${outcome.next}`.trim() : null,
    usage,
    workedMs,
  };
}
