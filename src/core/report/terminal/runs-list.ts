import type { Millis } from "../../ids.ts";
import type { Run } from "../../run/run.ts";
import { formatDuration, formatElapsed } from "../../text/durations.ts";
import { plainText } from "../../text/escape-text.ts";
import { countCodePoints, type Measure } from "../../text/text-width.ts";
import { type Cell, type Column, headerLine, tableLine, totalWidth, widest } from "./columns.ts";
import { countStages, runTime } from "./run-counts.ts";
import type { FormatTime } from "./run-lines.ts";
import { statusTone } from "./run-table.ts";

export type ListOptions = {
  readonly now: Millis;
  readonly width: number;
  readonly color: boolean;
  /** The day and the time, where the reader is. */
  readonly formatTime: FormatTime;
  readonly measure?: Measure;
  /** How many are archived and left out. */
  readonly hidden?: number;
};

/** The newest first. */
export function renderRuns(runs: readonly Run[], options: ListOptions): string[] {
  const { hidden = 0 } = options;
  const rest =
    hidden === 0
      ? []
      : [
          `${hidden} ${hidden === 1 ? "run is" : "runs are"} archived; \`loom runs --all\` lists ${hidden === 1 ? "it" : "them"} too.`,
        ];
  if (runs.length === 0) return hidden > 0 ? rest : ["No runs yet. `loom run PLAN.md` starts one."];
  const measure = options.measure ?? countCodePoints;
  const rows = [...runs]
    .sort((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt))
    .map((run) => rowOf(run, options));
  const titles = ["run", "status", "done", "into", "started", "took"];
  const natural = titles.map(
    (title, index): Column => ({
      title,
      width: widest(
        title,
        rows.map((row) => row[index]?.text ?? ""),
        measure,
      ),
      ...(title === "done" || title === "took" ? { align: "right" as const } : {}),
    }),
  );
  const columns = narrow(natural, options.width);
  const style = { measure, color: options.color };
  const pick = (row: readonly Cell[]): Cell[] =>
    columns.map(({ title }) => row[titles.indexOf(title)] ?? { text: "", tone: "plain" });
  return [headerLine(columns, style), ...rows.map((row) => tableLine(columns, pick(row), style)), ...rest];
}

function rowOf(run: Run, { now, formatTime }: ListOptions): Cell[] {
  const counts = countStages(run.stages.values(), now);
  const time = runTime(run, now);
  return [
    { text: plainText(run.id), tone: "plain" },
    { text: run.archived ? `${run.status}, archived` : run.status, tone: statusTone(run) },
    { text: `${counts.done}/${counts.total}`, tone: "plain" },
    { text: plainText(run.target), tone: "plain" },
    { text: plainText(formatTime(Date.parse(run.createdAt))), tone: "quiet" },
    { text: run.finishedAt === null ? formatElapsed(time) : formatDuration(time), tone: "quiet" },
  ];
}

/** Columns go from the least telling on; a run's id is needed whole, because people copy it. */
function narrow(columns: readonly Column[], width: number): readonly Column[] {
  let kept = columns;
  for (const title of ["took", "started", "into", "done", "status"]) {
    if (totalWidth(kept) <= width) return kept;
    kept = kept.filter((column) => column.title !== title);
  }
  return kept.map((column) => ({ ...column, width: Math.min(column.width, width) }));
}
