import { runFolder } from "../../config/run-folder.ts";
import { assertNever } from "../../errors.ts";
import type { Millis } from "../../ids.ts";
import type { Run, RunStatus } from "../../run/run.ts";
import { counted, formatDuration, timeTaken } from "../../text/durations.ts";
import { plainText } from "../../text/escape-text.ts";
import { countCodePoints, fitText, type Measure, wrapText } from "../../text/text-width.ts";
import { adviceLines, blockedBehind } from "../texts/advice.ts";
import { commandFor } from "../texts/escalation.ts";
import { paint, type Tone } from "./paint.ts";
import { mergedCount, mergesInOrder, shortSha, stagesInOrder } from "./run-counts.ts";

/** How a command that watched a run came to its end; the last two leave the run itself open. */
export type RunEndStatus = Exclude<RunStatus, "running"> | "waiting" | "interrupted";

export type SummaryOptions = {
  readonly status: RunEndStatus;
  readonly elapsedMs: Millis;
  readonly now: Millis;
  readonly color?: boolean;
  /** Sentences are wrapped to it; absent: they are not. */
  readonly width?: number;
  readonly measure?: Measure;
};

/** What people read when a run ends: what was merged, what was not and why, what to do next, where to look. */
export function renderSummary(run: Run, options: SummaryOptions): string {
  const { color = false, width = Number.POSITIVE_INFINITY, measure = countCodePoints } = options;
  const parts = [
    wrapText(endSentence(run, options), width, measure).map((line) =>
      paint(line, endTone(options.status), color),
    ),
  ];
  const add = (heading: string, lines: readonly string[]): void => {
    if (lines.length > 0) parts.push([paint(heading, "strong", color), ...lines]);
  };
  add("Merged, in this order", mergedLines(run, options.now, measure));
  add("Waiting for your answer", adviceLines(run, "question", { width, measure }));
  add("Blocked", [...adviceLines(run, "blocked", { width, measure }), ...behindLines(run, width, measure)]);
  add("Skipped", skippedLines(run, width, measure));
  add("Where to look", lookLines(run, options.status, measure));
  return `${parts.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

function endSentence(run: Run, { status, elapsedMs }: SummaryOptions): string {
  const id = plainText(run.id);
  const merged = `${mergedCount(run)} of ${counted(run.stages.size, "stage")}`;
  const into = `merged into ${plainText(run.target)}`;
  const time = formatDuration(elapsedMs);
  switch (status) {
    case "completed":
      return `Run ${id} completed in ${time}: ${merged} ${into}.`;
    case "failed":
      return `Run ${id} failed after ${time}: a critical stage is blocked, so the rest was not started. ${merged} ${into}.`;
    case "blocked":
      return `Run ${id} is blocked after ${time}: ${merged} ${into}; the rest needs you.`;
    case "cancelled":
      return mergedCount(run) === 0
        ? `Run ${id} was cancelled after ${time}: nothing was ${into}.`
        : `Run ${id} was cancelled after ${time}: ${merged} ${into}, and stay there.`;
    case "waiting":
      return `Run ${id} waits for your answer: ${merged} ${into} so far.`;
    case "interrupted":
      return `Run ${id} was interrupted after ${time}: ${merged} ${into}. Its state is kept; ${commandFor.resume(run.id)} goes on.`;
    default:
      return assertNever(status);
  }
}

function endTone(status: RunEndStatus): Tone {
  if (status === "completed") return "good";
  return status === "failed" || status === "blocked" ? "bad" : "warning";
}

function mergedLines(run: Run, now: Millis, measure: Measure): string[] {
  const merges = mergesInOrder(run);
  const rows = merges.map(([id, record], index) => ({
    number: String(index + 1),
    sha: record.state.kind === "completed" ? shortSha(plainText(record.state.merged ?? "")) : "",
    name: plainText(id),
    attempts: counted(record.attempts, "attempt"),
    time: formatDuration(timeTaken(record, now) ?? 0),
  }));
  const fill = (key: "number" | "name" | "attempts" | "time"): number =>
    rows.reduce((most, row) => Math.max(most, measure(row[key])), 0);
  const widths = {
    number: fill("number"),
    name: fill("name"),
    attempts: fill("attempts"),
    time: fill("time"),
  };
  return rows.map((row) => {
    const left = `  ${row.number.padStart(widths.number)}  ${row.sha}  ${fitText(row.name, widths.name, measure)}`;
    return `${left}  ${row.attempts.padEnd(widths.attempts)}  ${row.time.padStart(widths.time)}`;
  });
}

function behindLines(run: Run, width: number, measure: Measure): string[] {
  const ids = blockedBehind(run).map(plainText);
  return ids.length === 0 ? [] : indented(`Waiting behind: ${listed(ids)}`, width, measure);
}

function skippedLines(run: Run, width: number, measure: Measure): string[] {
  const reasons = new Map<string, string[]>();
  for (const [id, { state }] of stagesInOrder(run)) {
    if (state.kind !== "skipped") continue;
    const ids = reasons.get(state.reason) ?? [];
    reasons.set(state.reason, ids);
    ids.push(plainText(id));
  }
  return [...reasons].flatMap(([reason, ids]) =>
    indented(`${listed(ids)}: ${plainText(reason)}`, width, measure),
  );
}

function indented(text: string, width: number, measure: Measure): string[] {
  return wrapText(text, width - 2, measure).map((line) => `  ${line}`);
}

function listed(ids: readonly string[]): string {
  return ids.length > 12 ? `${ids.slice(0, 10).join(", ")} and ${ids.length - 10} more` : ids.join(", ");
}

function lookLines(run: Run, status: RunEndStatus, measure: Measure): string[] {
  const id = plainText(run.id);
  const rows: [string, string][] = [];
  if (mergedCount(run) > 0) rows.push([`git log ${plainText(run.target)}`, "one commit per stage"]);
  if (run.recorded !== null)
    rows.push([`${runFolder(run.settings, id)}/`, "plan, progress, history, reports"]);
  if (status !== "completed") rows.push([`loom status ${id}`, "every stage at a glance"]);
  rows.push(
    run.archived ? [`loom report ${id}`, "the run as a page"] : [`loom logs ${id}`, "what the agents wrote"],
  );
  const width = Math.max(...rows.map(([command]) => measure(command)));
  return rows.map(([command, what]) => `  ${fitText(command, width, measure)}  ${what}`);
}

/** For a plan whose run is complete and merged. */
export function alreadyBuilt(run: Run): string {
  const stages = run.stages.size === 1 ? "its stage is" : `all ${run.stages.size} stages are`;
  return (
    `This plan is already built: ${stages} in ${plainText(run.target)} (run ${plainText(run.id)}). ` +
    `\`loom run ${plainText(run.planPath)} --clean\` starts it over.`
  );
}
