import { shortText } from "../text/cut-text.ts";
import { plainLines } from "../text/escape-text.ts";
import type { DownstreamContext } from "./downstream-context.ts";
import { type MarkedLine, markLines } from "./mark-lines.ts";
import { readDownstream } from "./read-downstream.ts";

/**
 * The two sections that end an agent's last words: a report for people and a context for the agents that come after.
 * They are asked for once more when they are missing, and never decide whether the work is good.
 */
export type TaskReport = {
  readonly report: string | null;
  readonly downstream: DownstreamContext | null;
  readonly missing: readonly ReportSection[];
};

export type ReportSection = "Task Report" | "Downstream Context";

const TEXT_CHARS = 200_000;
const REPORT_CHARS = 8_000;

export function parseTaskReport(text: string): TaskReport {
  // The sections are the end of what was said, so the end is what is looked at.
  const lines = markLines(plainLines(text.slice(-TEXT_CHARS)));
  const reportLines = findSection(lines, "task report");
  const downstreamLines = findSection(lines, "downstream context");
  const report = reportLines && shortText(reportLines.map((line) => line.text).join("\n"), REPORT_CHARS);
  const missing: ReportSection[] = [];
  if (!reportLines) missing.push("Task Report");
  if (!downstreamLines) missing.push("Downstream Context");
  return { report, downstream: downstreamLines && readDownstream(downstreamLines), missing };
}

/** The last section of that name that says anything. */
function findSection(lines: readonly MarkedLine[], title: string): readonly MarkedLine[] | null {
  let found: readonly MarkedLine[] | null = null;
  for (const [at, { heading }] of lines.entries()) {
    if (!heading || heading.level > 3 || heading.title !== title) continue;
    const content = lines.slice(at + 1, sectionEnd(lines, at + 1, heading.level));
    if (content.some((line) => line.text.trim() !== "")) found = content;
  }
  return found;
}

const CLOSING_TITLES = new Set(["task report", "downstream context", "question", "questions"]);

function sectionEnd(lines: readonly MarkedLine[], from: number, level: number): number {
  for (let at = from; at < lines.length; at += 1) {
    const heading = lines[at]?.heading;
    if (heading && (heading.level <= level || CLOSING_TITLES.has(heading.title))) return at;
  }
  return lines.length;
}
