import type { Usage } from "../../budget/usage.ts";
import type { TaskKind } from "../../command/task-kinds.ts";
import type { Millis, Sha } from "../../ids.ts";
import type { Task } from "../../task/task.ts";
import type { AuditResult, Finding, SeenChange } from "../../task/task-events.ts";
import { unreadWords } from "../../task/unread-words.ts";
import { plainLines, plainText } from "../../text/escape-text.ts";
import { auditTitle, countFindings, noneOf, placeOf, taskTitle } from "../audit/audit-words.ts";
import { type CostView, costLine } from "../terminal/cost-line.ts";
import { paint, type Tone } from "../terminal/paint.ts";
import { seenText } from "../terminal/seen-change.ts";

export type AuditView = CostView &
  Pick<Task, "id" | "kind" | "commit" | "scope" | "result" | "failures" | "outcome">;

const TONES: Readonly<Record<Finding["severity"], Tone>> = {
  critical: "bad",
  high: "bad",
  medium: "warning",
  low: "plain",
  info: "quiet",
};

/** What `loom review` and the other audits print. */
export function renderAudit(view: AuditView, { color }: { readonly color: boolean }): string {
  const { result } = view;
  const sections = result
    ? [
        paint(`${auditTitle(view.kind)}: ${countFindings(result.findings)}.`, "strong", color),
        plainLines(result.summary).trim(),
        ...result.findings.map((finding) => renderFinding(finding, color)),
        renderEarlier(result),
        notesOf(result)
          .map((note) => `! ${plainText(note)}`)
          .join("\n"),
      ]
    : [noResult(view)];
  const cost = costLine(view);
  return `${[...sections, paint(cost, "quiet", color)].filter((one) => one !== "").join("\n\n")}\n`;
}

function renderFinding(finding: Finding, color: boolean): string {
  const { id, severity, title, body, suggestion } = finding;
  const place = placeOf(finding);
  const head = `${paint(severity.padEnd(8), TONES[severity], color)}  ${plainText(id)}  ${paint(plainText(title), "strong", color)}`;
  return [
    head,
    ...(place === null ? [] : [indent(paint(plainText(place), "busy", color))]),
    ...(body.trim() === "" ? [] : [indent(plainLines(body).trim())]),
    ...(suggestion === null ? [] : [indent("Instead:"), indent(plainLines(suggestion).replace(/^/gm, "│ "))]),
  ].join("\n");
}

/** What people have to know before they take this for all there is. */
function notesOf({ seen, notes }: AuditResult): string[] {
  const seenIn = seenText(seen);
  return seenIn === null ? notes : [seenIn, ...notes];
}

function renderEarlier({ earlier }: AuditResult): string {
  const named = (state: string): string =>
    earlier
      .filter((one) => one.state === state)
      .map(({ id }) => plainText(id))
      .join(", ");
  const [fixed, stands] = [named("fixed"), named("stands")];
  return [fixed && `Fixed since: ${fixed}.`, stands && `As before: ${stands}.`]
    .filter((one) => one !== "")
    .join("\n");
}

function noResult(view: AuditView): string {
  const { kind, outcome } = view;
  const title = taskTitle(kind);
  const words = wordsOf(view);
  if (words !== null)
    return `${title}: the agent did not answer in the form it was asked for. ${whatItWrote(view)}\n\n${plainLines(words).trim() || "(nothing)"}`;
  if (outcome?.kind === "cancelled") return `${title} was cancelled.`;
  if (outcome?.kind === "refused") return plainText(`${noneOf(kind)} ${outcome.reason} ${outcome.next}`);
  return `${title} has no result yet.`;
}

/** Why it was not asked once more stands before it, unless it was. */
function whatItWrote({ outcome }: AuditView): string {
  if (outcome?.kind !== "refused" || outcome.failure === "contract-unmet") return "It wrote:";
  return `${plainText(`${outcome.reason} ${outcome.next}`)}\n\nThe agent wrote:`;
}

/** Paid for, and perhaps of use. */
function wordsOf(view: AuditView): string | null {
  return view.outcome?.kind === "refused" ? unreadWords(view) : null;
}

function indent(text: string): string {
  return text.replace(/^(?=.)/gm, "  ");
}

/** What `--json` prints. */
export type AuditJson = {
  readonly type: "audit";
  readonly task: string;
  readonly kind: TaskKind;
  readonly status: "audited" | "refused" | "cancelled" | "running";
  readonly commit: Sha;
  /** Where the change that was looked at begins; null: the whole repository was. */
  readonly from: Sha | null;
  readonly summary: string;
  readonly findings: readonly Finding[];
  readonly earlier: AuditResult["earlier"];
  readonly notes: readonly string[];
  /** How many files the change has, and of how many the agent was shown, or could read, the diff; null: no change, no result. */
  readonly diffs: SeenChange | null;
  /** Why there is no result. */
  readonly reason: string | null;
  /** What the agent said instead of findings in the form that it was asked for. */
  readonly said: string | null;
  readonly usage: Usage | null;
  readonly workedMs: Millis;
};

export function auditJson(view: AuditView): AuditJson {
  const { id, kind, commit, scope, result, usage, workedMs, outcome } = view;
  const refused = outcome?.kind === "refused" ? outcome : null;
  const cancelled = outcome?.kind === "cancelled";
  return {
    type: "audit",
    task: id,
    kind,
    status: refused ? "refused" : cancelled ? "cancelled" : result ? "audited" : "running",
    commit,
    from: scope?.from ?? null,
    summary: result?.summary ?? "",
    findings: result?.findings ?? [],
    earlier: result?.earlier ?? [],
    notes: result ? notesOf(result) : [],
    diffs: result?.seen ?? null,
    reason: refused ? `${refused.reason} ${refused.next}`.trim() : null,
    said: wordsOf(view),
    usage,
    workedMs,
  };
}
