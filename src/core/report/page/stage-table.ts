import type { StageRecord } from "../../run/run.ts";
import { formatDuration, timeTaken } from "../../text/durations.ts";
import { formatUsd } from "../../text/money.ts";
import type { Verdict } from "../../verify/verdict.ts";
import { stagesInOrder } from "../terminal/run-counts.ts";
import { stateWords } from "../terminal/stage-words.ts";
import { countHeld } from "./criteria-list.ts";
import { type Html, html } from "./html.ts";
import type { PageView } from "./page-view.ts";

type Column = {
  readonly title: string;
  readonly class: "" | "tight" | "number";
  cell(record: StageRecord, view: PageView): Html;
};

const COLUMNS: readonly Column[] = [
  { title: "Stage", class: "", cell: nameCell },
  { title: "State", class: "tight", cell: stateBadge },
  {
    title: "Pull request",
    class: "tight",
    cell: ({ pr }, view) => (pr === null ? html`` : view.pull(pr)),
  },
  { title: "Attempts", class: "number", cell: ({ attempts }) => html`${attempts}` },
  { title: "Checks", class: "number", cell: ({ verdict }) => html`${verdict ? heldOf(verdict) : ""}` },
  { title: "Time", class: "number", cell: (record, view) => html`${timeOf(record, view)}` },
  { title: "Tokens", class: "number", cell: (record) => html`${tokensOf(record)}` },
  { title: "Cost", class: "number", cell: (record) => html`${costOf(record)}` },
];

/** Columns in which no stage has anything are left out: a local run has no pull requests, a script costs nothing. */
export function stageTable(view: PageView): Html {
  const rows = stagesInOrder(view.run).map(([, record]) =>
    COLUMNS.map((column) => ({ column, cell: column.cell(record, view) })),
  );
  const used = (column: Column): boolean =>
    rows.some((row) => row.some((one) => one.column === column && one.cell.markup !== ""));
  const heads = COLUMNS.filter(used).map((column) => html`<th class="${column.class}">${column.title}</th>`);
  const body = rows.map((row) => {
    const cells = row.filter((one) => used(one.column));
    return html`<tr>${cells.map(({ column, cell }) => html`<td class="${column.class}">${cell}</td>`)}</tr>`;
  });
  return html`<div class="scroll"><table class="stages"><thead><tr>${heads}</tr></thead><tbody>${body}</tbody></table></div>`;
}

function nameCell({ plan }: StageRecord, view: PageView): Html {
  const name = plan.name === plan.id ? null : html`<br><span class="soft">${plan.name}</span>`;
  return html`<a class="mono" href="#${view.anchor(plan.id)}">${plan.id}</a>${name}`;
}

function heldOf(verdict: Verdict): string {
  const { held, total } = countHeld(verdict);
  return `${held} of ${total}`;
}

function timeOf(record: StageRecord, view: PageView): string {
  const took = timeTaken(record, view.now);
  return took === null ? "" : formatDuration(took);
}

export function stateBadge(record: StageRecord, view: PageView): Html {
  const { icon, word, tone } = stateWords(record, view.now);
  return html`<span class="badge ${tone}">${icon} ${word}</span>`;
}

function tokensOf({ usage }: StageRecord): string {
  return usage ? formatCount(usage.inputTokens + usage.outputTokens) : "";
}

function costOf({ usage }: StageRecord): string {
  return usage?.costUsd == null ? "" : formatUsd(usage.costUsd);
}

/** 900, 12.3k, 4.5M. */
export function formatCount(value: number): string {
  if (value < 1000) return String(value);
  return value < 1_000_000 ? `${(value / 1000).toFixed(1)}k` : `${(value / 1_000_000).toFixed(1)}M`;
}
