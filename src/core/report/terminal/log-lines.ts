import type { StageId, Timestamp } from "../../ids.ts";
import { type Run, stageOf } from "../../run/run.ts";
import { plainLines, plainText } from "../../text/escape-text.ts";
import { commandFor } from "../texts/escalation.ts";
import { startTexts } from "../texts/start-texts.ts";
import { stagesInOrder } from "./run-counts.ts";
import { stateWords } from "./stage-words.ts";

/** What one session of a stage wrote. */
export type LogText = { readonly attempt: number; readonly path: string; readonly text: string };

/** `loom logs RUN STAGE`: what the agent wrote, attempt by attempt, and how each attempt that failed came to its end. */
export function renderLogs(
  run: Run,
  stage: StageId,
  logs: readonly LogText[],
  sweptAt: Timestamp | null = null,
): string {
  const record = stageOf(run, stage);
  const parts = logs.map(({ attempt, path, text }) => {
    const body = plainLines(text).replace(/(?<!\n)\n+$/, "");
    return `== ${plainText(stage)}, attempt ${attempt} (${plainText(path)})\n${body === "" ? "The agent wrote nothing." : body}`;
  });
  if (parts.length === 0)
    parts.push(
      sweptAt === null
        ? `${plainText(stage)} has no log: it has not been started yet.`
        : startTexts.logsSwept(sweptAt),
    );
  const failure = "failure" in record.state ? record.state.failure : (record.failures.at(-1) ?? null);
  if (failure) {
    const evidence = failure.evidence ? `\n${plainLines(failure.evidence).replace(/(?<!\n)\n+$/, "")}` : "";
    parts.push(`== The last failure\n${plainText(failure.message)}${evidence}`);
  }
  return `${parts.join("\n\n")}\n`;
}

/** `loom logs RUN`: which stages have something to read. */
export function renderLogIndex(
  run: Run,
  stages: ReadonlySet<StageId>,
  sweptAt: Timestamp | null = null,
): string {
  const lines = stagesInOrder(run)
    .filter(([id]) => stages.has(id))
    .map(
      ([id, record]) => `  ${plainText(id)}: ${stateWords(record, 0).word}, ${commandFor.logs(run.id, id)}`,
    );
  const swept = sweptAt === null ? "" : `${startTexts.logsSwept(sweptAt)}\n`;
  return lines.length === 0
    ? `Run ${plainText(run.id)} has no logs yet.\n`
    : `Logs of run ${plainText(run.id)}:\n${lines.join("\n")}\n${swept}`;
}
