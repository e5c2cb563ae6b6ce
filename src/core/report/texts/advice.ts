import type { StageId } from "../../ids.ts";
import type { Run } from "../../run/run.ts";
import { plainText } from "../../text/escape-text.ts";
import { type Measure, wrapText } from "../../text/text-width.ts";
import { stagesInOrder } from "../terminal/run-counts.ts";
import { commandFor, whatToDo } from "./escalation.ts";

/** Each stage that waits for a person: what it asks or why it is stuck, and below it the way on. */
export function adviceLines(
  run: Run,
  kind: "question" | "blocked",
  { width, measure }: { width: number; measure: Measure },
): string[] {
  const lines: string[] = [];
  const add = (head: string, next: string): void => {
    lines.push(...wrapText(head, width - 2, measure).map((line) => `  ${line}`));
    lines.push(...wrapText(next, width - 4, measure).map((line) => `    ${line}`));
  };
  for (const [id, { state }] of stagesInOrder(run)) {
    if (kind === "question" && state.kind === "waiting-for-input") {
      add(
        `${plainText(id)} asks: ${plainText(state.question)}`,
        `Answer with ${commandFor.answer(run.id, id)}.`,
      );
    }
    if (kind === "blocked" && (state.kind === "blocked" || state.kind === "merge-blocked")) {
      if (state.failure.kind === "dependency") continue;
      add(`${plainText(id)}: ${plainText(state.failure.message)}`, whatToDo(state.failure, run.id, id));
    }
  }
  return lines;
}

/** Stages that nothing is wrong with, but for the one they wait for. */
export function blockedBehind(run: Run): StageId[] {
  return stagesInOrder(run)
    .filter(([, { state }]) => state.kind === "blocked" && state.failure.kind === "dependency")
    .map(([id]) => id);
}
