import type { Timestamp } from "../../ids.ts";
import type { Run, StageRecord } from "../../run/run.ts";
import { formatDuration, timeTaken } from "../../text/durations.ts";
import { markdownText } from "../../text/escape-text.ts";
import { levelOf, mergedCount, runTime, shortSha, stagesInOrder } from "../terminal/run-counts.ts";
import { stageNote, stateWords } from "../terminal/stage-words.ts";

/** The text of `.loom/<run>/PROGRESS.md`: the same run always gives the same bytes, whenever and wherever it is asked. */
export function renderProgress(run: Run): string {
  const now = lastMoment(run);
  const facts = [
    `- Plan: ${markdownText(run.planPath)}`,
    `- Target: ${markdownText(run.target)}, from ${shortSha(run.base)}`,
    `- Harness: ${markdownText(run.settings.harness)}`,
    `- Started: ${utc(run.createdAt)}`,
    ...(run.finishedAt === null
      ? []
      : [`- Finished: ${utc(run.finishedAt)}, after ${formatDuration(runTime(run, now))}`]),
    `- Merged: ${mergedCount(run)} of ${run.stages.size}`,
  ];
  const rows = stagesInOrder(run).map(([id, record]) => {
    return `| ${[levelOf(run, id), markdownText(id), ...stageCells(run, record, now)].join(" | ")} |`;
  });
  return [
    `# Run ${markdownText(run.id)}`,
    `Status: ${run.status}`,
    facts.join("\n"),
    [
      "| Level | Stage | State | Attempts | Merged | Started | Ended | Took | Note |",
      "|---:|---|---|---:|---|---|---|---:|---|",
      ...rows,
    ].join("\n"),
  ]
    .join("\n\n")
    .concat("\n");
}

function stageCells(run: Run, record: StageRecord, now: number): string[] {
  const merged = record.state.kind === "completed" ? record.state.merged : null;
  const took = record.endedAt === null ? null : timeTaken(record, now);
  return [
    stateWords(record, now).word,
    String(record.attempts),
    merged === null ? "" : shortSha(merged),
    record.startedAt === null ? "" : utc(record.startedAt),
    record.endedAt === null ? "" : utc(record.endedAt),
    took === null ? "" : formatDuration(took),
    markdownText(stageNote(run, record, undefined, now).text),
  ];
}

/** Stands in for a clock: the latest moment that the run itself knows of. */
export function lastMoment(run: Run): number {
  let latest = Date.parse(run.finishedAt ?? run.createdAt);
  for (const { startedAt, endedAt } of run.stages.values()) {
    for (const at of [startedAt, endedAt]) if (at !== null) latest = Math.max(latest, Date.parse(at));
  }
  return latest;
}

function utc(at: Timestamp): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}
