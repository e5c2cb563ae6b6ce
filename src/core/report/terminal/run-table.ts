import type { Millis, StageId } from "../../ids.ts";
import type { Run, StageRecord } from "../../run/run.ts";
import { formatDuration, formatElapsed, timeTaken } from "../../text/durations.ts";
import { plainText } from "../../text/escape-text.ts";
import { countCodePoints, cutText, type Measure } from "../../text/text-width.ts";
import { type Cell, type Column, headerLine, tableLine, totalWidth, widest } from "./columns.ts";
import { paint, type Tone } from "./paint.ts";
import {
  countStages,
  countWords,
  levelOf,
  type RunCounts,
  runTime,
  shortSha,
  stagesInOrder,
} from "./run-counts.ts";
import { type Activity, GROUPS, type StateWords, stageNote, stateWords } from "./stage-words.ts";

/**
 * A run at one moment as lines, none wider than `width` and at most `height` of them. Columns are sized from all stages
 * and not from the rows shown, so that nothing jumps while a run goes on.
 */
export type TableView = {
  readonly run: Run;
  readonly activities: ReadonlyMap<StageId, Activity>;
  readonly now: Millis;
  readonly width: number;
  /** Absent: as many lines as there are stages. */
  readonly height?: number;
  readonly color: boolean;
  readonly measure?: Measure;
};

type Row = {
  readonly id: StageId;
  readonly name: string;
  readonly level: string;
  readonly record: StageRecord;
  readonly words: StateWords;
};

/** Title, bar, empty line, header. */
const LINES_ABOVE = 4;

export function renderRunTable(view: TableView): string[] {
  const measure = view.measure ?? countCodePoints;
  const style = { measure, color: view.color };
  const rows = stagesInOrder(view.run).map(([id, record]): Row => {
    return {
      id,
      name: plainText(id),
      level: levelOf(view.run, id),
      record,
      words: stateWords(record, view.now),
    };
  });
  const shown = chooseRows(
    rows,
    view.height === undefined ? rows.length : Math.max(1, view.height - LINES_ABOVE),
  );
  const columns = fitColumns(rows, view.width, measure);
  const lines = [
    titleLine(view, measure),
    barLine(countStages(view.run.stages.values(), view.now), view, measure),
    "",
    headerLine(
      columns.map(([, column]) => column),
      style,
    ),
    ...shown.map((row) => rowLine(row, columns, view, style)),
  ];
  if (shown.length < rows.length) lines.push(restLine(rows, shown, view, measure));
  return lines.slice(0, view.height);
}

/** When there are too few rows, what a person may have to act on comes first, then what moves. */
function chooseRows(rows: readonly Row[], available: number): readonly Row[] {
  if (rows.length <= available) return rows;
  const chosen = new Set<Row>();
  for (const group of GROUPS) {
    const members = rows.filter(({ words }) => words.group === group);
    // Of the finished ones the latest say most.
    for (const row of group === "done" ? members.reverse() : causesFirst(members)) {
      if (chosen.size < available - 1) chosen.add(row);
    }
  }
  return rows.filter((row) => chosen.has(row));
}

function causesFirst(rows: readonly Row[]): Row[] {
  return [
    ...rows.filter(({ words }) => words.tone !== "faded-bad"),
    ...rows.filter(({ words }) => words.tone === "faded-bad"),
  ];
}

function restLine(rows: readonly Row[], shown: readonly Row[], view: TableView, measure: Measure): string {
  const seen = new Set(shown);
  const rest = rows.filter((row) => !seen.has(row)).map(({ record }) => record);
  const words = countWords(countStages(rest, view.now), { done: true }).join(", ");
  return paint(cutText(`… ${rest.length} more: ${words}`, view.width, measure), "quiet", view.color);
}

function titleLine({ run, now, width, color }: TableView, measure: Measure): string {
  const name = plainText(run.id);
  const status =
    run.status === "running" ? (run.cancelledBy === null ? "" : "  stopping") : `  ${run.status}`;
  const where = `  into ${plainText(run.target)} with ${plainText(run.settings.harness)}`;
  const clock =
    run.finishedAt === null ? formatElapsed(runTime(run, now)) : formatDuration(runTime(run, now));
  const left = cutText(name, width, measure);
  const middle = cutText(where, width - measure(left), measure);
  const right = cutText(status, width - measure(left) - measure(middle), measure);
  const sandbox = width - measure(left) - measure(middle) - measure(right) - clock.length;
  const line =
    paint(left, "strong", color) + paint(middle, "quiet", color) + paint(right, statusTone(run), color);
  return sandbox < 2 ? line : `${line}${" ".repeat(sandbox)}${paint(clock, "quiet", color)}`;
}

export function statusTone(run: Run): Tone {
  if (run.status === "running") return run.cancelledBy === null ? "busy" : "warning";
  if (run.status === "completed") return "good";
  return run.status === "cancelled" ? "quiet" : "bad";
}

const BAR = { most: 30, least: 6 };

function barLine(counts: RunCounts, { width, color }: TableView, measure: Measure): string {
  const percent = counts.total === 0 ? 100 : Math.floor((counts.done / counts.total) * 100);
  const words = [`${counts.done}/${counts.total} done`, ...countWords(counts, { done: false })].join(" · ");
  const label = `${String(percent).padStart(3)}%  ${words}`;
  const sandbox = Math.min(BAR.most, width - measure(label) - 1);
  const size = sandbox >= BAR.least ? sandbox : Math.min(BAR.least, Math.max(0, width - 6));
  const bar = size === 0 ? "" : `${drawBar(counts, size, color)} `;
  return bar + cutText(label, width - (size === 0 ? 0 : size + 1), measure);
}

/** One bar of several parts: done, under way, blocked, the rest. Without colour only what is done stands out. */
function drawBar(counts: RunCounts, size: number, color: boolean): string {
  const upTo = (n: number): number => (counts.total === 0 ? size : Math.floor((n / counts.total) * size));
  const done = upTo(counts.done);
  const busy = upTo(counts.done + counts.working) - done;
  const blocked = upTo(counts.done + counts.working + counts.blocked) - done - busy;
  const rest = size - done - busy - blocked;
  if (!color) return "━".repeat(done) + "─".repeat(size - done);
  return [
    paint("━".repeat(done), "good", color),
    paint("━".repeat(busy), "busy", color),
    paint("━".repeat(blocked), "bad", color),
    paint("─".repeat(rest), "quiet", color),
  ].join("");
}

type ColumnName = "icon" | "level" | "stage" | "state" | "merged" | "elapsed" | "activity";

/** Columns that are left out one after the other, and all before them, when the terminal is too narrow. */
const DISPENSABLE: readonly ColumnName[] = ["merged", "level", "activity", "elapsed"];
const LEAST = { stage: 12, activity: 12 };

function fitColumns(rows: readonly Row[], width: number, measure: Measure): [ColumnName, Column][] {
  const stage = widest(
    "stage",
    rows.map(({ name }) => name),
    measure,
  );
  // Room for "retry in 12s" or even "verifying (2nd try)" from the start, where there is room, keeps the columns still.
  const state = Math.max(
    widest(
      "state",
      rows.map(({ words }) => words.word),
      measure,
    ),
    width >= 100 ? 19 : width >= 80 ? 12 : 9,
  );
  const all: [ColumnName, Column][] = [
    ["icon", { title: "", width: 1 }],
    ["level", { title: "lvl", width: 3, align: "right" }],
    ["stage", { title: "stage", width: stage }],
    ["state", { title: "state", width: state }],
    ["merged", { title: "merged", width: 7 }],
    ["elapsed", { title: "elapsed", width: 7, align: "right" }],
    ["activity", { title: "now", width: 0 }],
  ];
  for (let left = 0; left <= DISPENSABLE.length; left += 1) {
    const kept = all.filter(([name]) => !DISPENSABLE.slice(0, left).includes(name));
    const fitted = squeeze(kept, width, left < DISPENSABLE.indexOf("activity") + 1);
    if (fitted) return fitted;
  }
  return [["stage", { title: "stage", width }]];
}

/** Long stage names give way until `activity` has enough; null when that is not possible. */
function squeeze(
  columns: readonly [ColumnName, Column][],
  width: number,
  active: boolean,
): [ColumnName, Column][] | null {
  const spare = width - totalWidth(columns.map(([, column]) => column)) - (active ? LEAST.activity : 0);
  const natural = columns.find(([name]) => name === "stage")?.[1].width ?? 0;
  const stage = Math.min(natural, natural + spare);
  if (stage < Math.min(natural, LEAST.stage)) return null;
  const activity = LEAST.activity + Math.max(0, spare);
  return columns.map(([name, column]) => {
    if (name === "stage") return [name, { ...column, width: stage }];
    return name === "activity" ? [name, { ...column, width: activity }] : [name, column];
  });
}

function rowLine(
  row: Row,
  columns: readonly [ColumnName, Column][],
  view: TableView,
  style: { measure: Measure; color: boolean },
): string {
  const cells = columns.map(([name]) => cellOf(row, name, view));
  return tableLine(
    columns.map(([, column]) => column),
    cells,
    style,
  );
}

function cellOf({ id, name, level, record, words }: Row, column: ColumnName, view: TableView): Cell {
  switch (column) {
    case "icon":
      return { text: words.icon, tone: words.tone };
    case "level":
      return { text: level, tone: "quiet" };
    case "stage":
      return { text: name, tone: words.group === "waiting" ? "quiet" : "plain" };
    case "state":
      return { text: words.word, tone: words.tone };
    case "merged": {
      const merged = record.state.kind === "completed" ? record.state.merged : null;
      return { text: merged === null ? "" : shortSha(plainText(merged)), tone: "good" };
    }
    case "elapsed": {
      const ms = timeTaken(record, view.now);
      const text = ms === null ? "" : record.endedAt === null ? formatElapsed(ms) : formatDuration(ms);
      return { text, tone: "quiet" };
    }
    case "activity":
      return stageNote(view.run, record, view.activities.get(id), view.now);
  }
}
