import type { Audit, TaskKind } from "../../../command/task-kinds.ts";
import type { Placed, PlacedFinding } from "../../../findings/place-findings.ts";
import { SECTION_LEADS } from "../../../findings/read-sections.ts";
import { cutMarkdown, MAX_COMMENT } from "../../../markdown/cut-markdown.ts";
import { code, escapeMarkdown, escapeSentence, quoted } from "../../../markdown/escape-markdown.ts";
import type { Task } from "../../../task/task.ts";
import type { AuditResult, Finding } from "../../../task/task-events.ts";
import { counted } from "../../../text/durations.ts";
import { auditTitle, countFindings, noneOf, placeOf, taskName, taskTitle } from "../../audit/audit-words.ts";
import { type CostView, costLine } from "../../terminal/cost-line.ts";
import { seenText } from "../../terminal/seen-change.ts";
import type { TaskEnd } from "../../terminal/task-end.ts";
import { evidenceBlock } from "../markdown/evidence-block.ts";
import { sanitizeMarkdown } from "../markdown/sanitize-markdown.ts";
import {
  BELOW_HEADS,
  type FileLinks,
  findingSection,
  fitSections,
  suggestionBlock,
} from "./finding-sections.ts";

/** What became of the findings of this audit and of those before. */
export type AuditCounts = {
  /** There is a review, and its text holds the summary. */
  readonly reviewed: boolean;
  readonly fresh: number;
  readonly updated: number;
  readonly standing: number;
  /** Found again, and left alone because people have settled it. */
  readonly settled: number;
  readonly resolved: number;
  /** Without a conversation that is settled. */
  readonly fixed: number;
  /** Open still, and the agent said nothing of it. */
  readonly unsaid: number;
  /** Conversations about what is fixed that GitHub did not let Loom settle. */
  readonly refused: number;
};

/** Sandbox that Loom's own words and the hidden mark need beside the agent's. */
const SANDBOX = 4_000;
const ANSWER_CHARS = MAX_COMMENT - SANDBOX;
const QUESTION_CHARS = 600;
const SUMMARY_CHARS = 4_000;
const BODY_CHARS = 8_000;
const MAX_NOTES = 10;
const DOCUMENT_BYTES = MAX_COMMENT - SANDBOX / 2;

/** What a review tells: on lines, of no line that the change shows, and what GitHub takes on no line. */
export type ReviewContent = Placed & { readonly refused: readonly Finding[] };

/** What people read of tasks on GitHub; `costFooter` stands below the last of it. */
export const taskReplies = {
  /** Stands until the outcome replaces it. */
  started: (kind: TaskKind, harness: string): string =>
    `${code(harness)} is at work on ${taskName(kind)}. ${kind === "ask" ? "It" : "What it finds"} will appear here.`,

  /** Only the question itself is quoted; what else its comment says can be read there. */
  answered: (words: string, answer: string): string => {
    const [question = ""] = words.trim().split("\n\n", 1);
    return document([
      question === "" ? "" : quoted(question, QUESTION_CHARS),
      sanitizeMarkdown(answer, ANSWER_CHARS) ||
        "The agent ended without an answer. Ask again, in other words.",
    ]);
  },

  /** On an issue, or of a whole repository: there are no lines to put anything on. */
  auditOnIssue: (kind: Audit, result: AuditResult, links: FileLinks): string =>
    result.findings.length === 0
      ? taskReplies.nothingFound(kind, result)
      : listing((bodyChars) => [
          `**${auditTitle(kind)}.** ${countFindings(result.findings)}.`,
          summaryOf(result),
          ...result.findings.map((finding) => findingSection(finding, links, bodyChars)),
          notesOf(result),
        ]),

  /** The text of a review whose remarks stand on lines; it holds what no line could carry. */
  reviewBody: (kind: Audit, result: AuditResult, fresh: ReviewContent, links: FileLinks): string =>
    listing((bodyChars) => [
      `**${auditTitle(kind)}.** ${countFindings([...fresh.onLines.map(({ finding }) => finding), ...fresh.elsewhere, ...fresh.refused])}.`,
      summaryOf(result),
      fresh.elsewhere.length === 0 ? "" : SECTION_LEADS.elsewhere,
      ...fresh.elsewhere.map((finding) => findingSection(finding, links, bodyChars)),
      fresh.refused.length === 0 ? "" : SECTION_LEADS.refused,
      ...fresh.refused.map((finding) => findingSection(finding, links, bodyChars)),
    ]),

  /** One finding on a line. */
  remarkBody({
    finding,
    shortened,
    suggestion,
  }: Pick<PlacedFinding, "finding" | "shortened" | "suggestion">): string {
    const place = placeOf(finding);
    return [
      `**${escapeMarkdown(finding.severity)}:** ${escapeMarkdown(finding.title)}`,
      sanitizeMarkdown(finding.body, BODY_CHARS),
      shortened && place !== null ? `It is about ${code(place, 300)}.` : "",
      suggestion === null ? "" : suggestionBlock(suggestion, "suggestion"),
    ]
      .filter((part) => part !== "")
      .join("\n\n");
  },

  /** Takes the place of "at work" once the remarks stand on their lines, in a first run and in any later one. */
  auditSummary(kind: Audit, result: AuditResult, counts: AuditCounts): string {
    const parts = [
      counts.fresh > 0 ? `${counts.fresh} new` : "",
      counts.updated > 0 ? `${counts.updated} updated` : "",
      counts.standing > 0 ? `${counts.standing} as before` : "",
      counts.settled > 0 ? `${counts.settled} settled by people` : "",
      counts.resolved > 0 ? `${counts.resolved} fixed and resolved` : "",
      counts.fixed > 0 ? `${counts.fixed} fixed` : "",
      counts.unsaid > 0 ? `${counts.unsaid} not looked at again` : "",
    ].filter((part) => part !== "");
    if (parts.length === 0) return taskReplies.nothingFound(kind, result);
    return document([
      `**${auditTitle(kind)}.** Findings: ${parts.join(", ")}.`,
      counts.refused === 0
        ? ""
        : `GitHub did not let Loom resolve ${counted(counts.refused, "conversation")} about what is fixed; people can.`,
      counts.reviewed ? "" : summaryOf(result),
      notesOf(result),
    ]);
  },

  /** The pull request has another head by now, where lines may have other numbers: one comment holds all. */
  auditOfOld: (kind: Audit, result: AuditResult, links: FileLinks): string =>
    result.findings.length === 0
      ? document([
          `**${auditTitle(kind)}.** Nothing found. This is about the commit before those that were pushed meanwhile.`,
          summaryOf(result),
          notesOf(result),
        ])
      : listing((bodyChars) => [
          `**${auditTitle(kind)}.** ${countFindings(result.findings)}. Commits were pushed meanwhile, so nothing new stands on lines. This is about the commit before them:`,
          summaryOf(result),
          ...result.findings.map((finding) => findingSection(finding, links, bodyChars)),
          notesOf(result),
        ]),

  /** It could not be put on lines: one comment holds all. `why: null`: it failed again and again, inside Loom. */
  auditInOne: (kind: Audit, result: AuditResult, links: FileLinks, why: string | null): string =>
    result.findings.length === 0
      ? taskReplies.nothingFound(kind, result)
      : listing((bodyChars) => [
          `**${auditTitle(kind)}.** ${countFindings(result.findings)}. ${why === null ? "Something went wrong inside Loom when this was put on lines, so all of it stands here; its operator has been told." : `All of it stands here and not on lines: ${escapeSentence(why)}`}`,
          summaryOf(result),
          ...result.findings.map((finding) => findingSection(finding, links, bodyChars)),
          notesOf(result),
        ]),

  nothingFound: (kind: Audit, result: AuditResult): string =>
    document([`**${auditTitle(kind)}.** Nothing found.`, summaryOf(result), notesOf(result)]),

  /** The agent's answer had no form that Loom can put on lines, asked again or not; `why`: what kept it from being asked. */
  unreadable: (kind: Audit, answer: string, why: Pick<TaskEnd, "reason" | "next"> | null): string => {
    const head = `**${auditTitle(kind)}.** The agent did not answer in the form it was asked for, so nothing stands on lines.`;
    const kept = why && [why.reason, why.next].map((text) => escapeSentence(text)).join(" ");
    return document([
      ...(kept === null ? [`${head} It wrote:`] : [`${head} ${kept.trimEnd()}`, "The agent wrote:"]),
      sanitizeMarkdown(answer, ANSWER_CHARS - 1_000) || "(nothing)",
    ]);
  },

  /** With the end of what the agent wrote; what to do next stands below it, where people look for it. */
  failed: (kind: TaskKind, { reason, evidence, next }: TaskEnd): string => {
    const [why, then] = [reason, next].map((text) => escapeSentence(text));
    const shown = evidenceBlock(evidence);
    if (shown.length === 0) return `${noneOf(kind)} ${why} ${then}`.trimEnd();
    return document([`${noneOf(kind)} ${why}`, ...shown, then ?? ""]);
  },

  cancelled: (by: string): string => `Cancelled by ${escapeMarkdown(by, 100)}. Nothing was changed.`,

  /** Stands below what was found. */
  cancelledLate: (by: string): string =>
    `${escapeMarkdown(by, 100)} cancelled it when this was being written already.`,

  /** What was asked to stop, and may take a moment. */
  cancelling: (count: number): string =>
    `Cancelled. ${count === 1 ? "The agent is" : `${count} agents are`} being stopped.`,

  /** The same is being done in this thread already. */
  busy: (kind: TaskKind): string =>
    `An agent is at work on ${taskName(kind)} here already. Ask again once it is done.`,

  /** What agents are at in this thread, outside of a run. */
  status: (open: readonly Pick<Task, "kind" | "assessment" | "answers">[]): string =>
    open
      .map(({ kind, assessment, answers }) =>
        assessment !== null && assessment.questions.length > 0 && answers === null
          ? `- ${taskTitle(kind)} waits for answers to the questions above.`
          : `- An agent is at work on ${taskName(kind)}.`,
      )
      .join("\n"),
};

/** The last line of what a task came to. */
export function costFooter(view: CostView): string {
  return `<sub>${escapeMarkdown(costLine(view), 400)}</sub>`;
}

function summaryOf({ summary }: AuditResult): string {
  return sanitizeMarkdown(summary, SUMMARY_CHARS, BELOW_HEADS);
}

function notesOf({ seen, notes }: AuditResult): string {
  const seenIn = seenText(seen);
  const shown = notes.slice(0, MAX_NOTES).map((note) => `- ${escapeSentence(note)}`);
  if (seenIn !== null) shown.unshift(`- ${seenIn}`);
  if (notes.length > MAX_NOTES) shown.push(`- ${counted(notes.length - MAX_NOTES, "more note")}`);
  return shown.join("\n");
}

function document(parts: readonly string[]): string {
  return cutMarkdown(joined(parts), DOCUMENT_BYTES, "").trimEnd();
}

function listing(parts: (bodyChars: number) => readonly string[]): string {
  return document([fitSections(DOCUMENT_BYTES, (bodyChars) => joined(parts(bodyChars)))]);
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n\n");
}
