import type { StageId } from "../../ids.ts";
import { type Run, type StageRecord, stageOf } from "../../run/run.ts";
import { counted, formatDuration, timeTaken } from "../../text/durations.ts";
import { markdownBlock, markdownText } from "../../text/escape-text.ts";
import { shortSha } from "./run-counts.ts";
import { stageNote, stateWords } from "./stage-words.ts";
import { usageLines, usageWords } from "./usage-lines.ts";
import { renderVerdict } from "./verdict-report.ts";

/** The text of `.loom/<run>/reports/<stage>.md`: what was tried, what came of it, and the evidence. */
export function renderStageReport(run: Run, stage: StageId): string {
  const record = stageOf(run, stage);
  const parts = [`# ${markdownText(stage)}`];
  if (record.plan.name !== stage) parts.push(markdownText(record.plan.name));
  parts.push(facts(run, record).join("\n"));
  if (record.report)
    parts.push(
      record.plan.type === "investigate" ? "## Diagnosis" : "## What the agent says",
      markdownBlock(record.report.text),
    );
  if (record.failures.length > 0) parts.push("## Failed attempts", ...record.failures.map(failurePart));
  if (record.dialogue.length > 0) parts.push("## Questions", ...record.dialogue.map(questionPart));
  if (record.files.length > 0) parts.push("## Changed files", changedFiles(record));
  if (record.verdict) parts.push("## Verdict", renderVerdict(record.verdict, { style: "markdown" }).trim());
  return `${parts.join("\n\n")}\n`;
}

function changedFiles({ files, moreFiles = 0 }: StageRecord): string {
  const lines = files.map((file) => `- ${markdownText(file)}`);
  if (moreFiles > 0) lines.push(`- … and ${moreFiles} more`);
  return lines.join("\n");
}

function facts(run: Run, record: StageRecord): string[] {
  const { state } = record;
  // Whatever is still open when the report is written has no other moment to count to than its own start.
  const now = Date.parse(record.endedAt ?? record.startedAt ?? run.createdAt);
  const note = stageNote(run, record, undefined, now).text;
  const took = record.endedAt === null ? null : timeTaken(record, now);
  const merged = state.kind === "completed" ? state.merged : null;
  return [
    `- State: ${stateWords(record, now).word}${note === "" ? "" : ` (${markdownText(note)})`}`,
    `- Attempts: ${record.attempts}`,
    ...(record.conflicts > 0 ? [`- Merge conflicts: ${record.conflicts}`] : []),
    ...(record.deaths > 0 ? [`- Interrupted by the end of Loom: ${counted(record.deaths, "time")}`] : []),
    ...(record.stalled ? ["- The session fell silent; what it left was verified all the same."] : []),
    ...(took === null ? [] : [`- Took: ${formatDuration(took)}`]),
    ...(merged === null ? [] : [`- Merged: ${shortSha(merged)} into ${markdownText(run.target)}`]),
    ...usageFacts(record),
    ...record.warnings.map((text) => `- Warning: ${markdownText(text)}`),
    ...(record.deniedHosts.length > 0
      ? [`- Hosts that were refused: ${markdownText(record.deniedHosts.join(", "))}`]
      : []),
  ];
}

function usageFacts({ usage, usageBy }: StageRecord): string[] {
  if (!usage) return [];
  const parts = usageLines([...usageBy].map(([name, one]) => ({ name, usage: one })));
  return [
    `- Used: ${usageWords(usage)}`,
    ...(parts.length > 1 ? parts.map((line) => `  - ${markdownText(line)}`) : []),
  ];
}

function failurePart(failure: StageRecord["failures"][number], index: number): string {
  const at = `${new Date(failure.at).toISOString().slice(0, 19)}Z`;
  const head = `${index + 1}. ${at}, ${failure.kind}: ${markdownText(failure.message)}`;
  return failure.evidence ? `${head}\n\n${markdownBlock(failure.evidence)}` : head;
}

function questionPart({ question, answer }: StageRecord["dialogue"][number]): string {
  return `- ${markdownText(question)}\n  - ${answer === null ? "No answer yet." : markdownText(answer)}`;
}
