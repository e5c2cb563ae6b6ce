import { assertNever } from "../../../errors.ts";
import { code, escapeMarkdown, escapeSentence, fenced } from "../../../markdown/escape-markdown.ts";
import { ordinal } from "../../../text/durations.ts";
import { usageLines } from "../../terminal/usage-lines.ts";
import { sandboxTexts } from "../../texts/sandbox-texts.ts";
import { commandNames } from "../markdown/command-names.ts";
import { checksSentence, renderCriteria } from "../plan/criteria-text.ts";
import {
  type CheckAction,
  type CheckConclusion,
  type CheckReport,
  checkActions,
  checkNames,
  checkReport,
} from "./check-report.ts";
import type { StageCheckState, StageCheckView } from "./views.ts";

/** The check run of one stage: a sentence on how it stands, then every criterion with its evidence. */
export function stageCheck(view: StageCheckView): CheckReport {
  const { state, verdict } = view;
  return checkReport({
    name: checkNames.stage(view.stage),
    status: statusOf(state),
    conclusion: conclusionOf(state),
    title: titleOf(view),
    summary: summaryOf(view),
    text: textOf(view, verdict ? renderCriteria(verdict) : ""),
    actions: actionsOf(state),
  });
}

function statusOf(state: StageCheckState): CheckReport["status"] {
  if (state.kind === "queued") return "queued";
  const goesOn =
    state.kind === "working" || state.kind === "verifying" || (state.kind === "failed" && state.retries);
  return goesOn ? "in_progress" : "completed";
}

/** A fault of Loom's own is neutral: it says nothing about the change. */
function conclusionOf({ kind }: StageCheckState): CheckConclusion | null {
  switch (kind) {
    case "queued":
    case "working":
    case "verifying":
      return null;
    case "passed":
      return "success";
    case "failed":
      return "failure";
    // Not `neutral`, which other tools that merge by themselves take for a pass.
    case "asks":
    case "needs-person":
      return "action_required";
    case "fault":
      return "neutral";
    case "skipped":
      return "skipped";
    case "cancelled":
      return "cancelled";
    default:
      return assertNever(kind);
  }
}

/** A button that is always refused would be no help: a question has to be answered, and what was skipped stays so. */
function actionsOf(state: StageCheckState): CheckAction[] {
  if (state.kind === "needs-person" && state.retriable === false) return [checkActions.skip];
  const isStuck = state.kind === "failed" || state.kind === "fault" || state.kind === "needs-person";
  return isStuck ? [checkActions.retry, checkActions.skip] : [];
}

function titleOf({ state, verdict, attempt }: StageCheckView): string {
  const again = attempt > 1 ? ` (${ordinal(attempt)} try)` : "";
  switch (state.kind) {
    case "queued":
      return `Waits for a worker${again}`;
    case "working":
      return `An agent is at work${again}`;
    case "verifying":
      return `Checks run on a clean checkout${again}`;
    case "passed":
      return `${verdict ? checksSentence(verdict).replace(/\.$/, "") : "Proved"}${state.merged ? ", merged" : ""}`;
    case "failed":
      return state.retries ? `Did not pass, tries again${again}` : `Did not pass${again}`;
    case "asks":
      return verdict ? checksSentence(verdict).replace(/\.$/, "") : "Needs you";
    case "needs-person":
      return "Needs you";
    case "fault":
      return "Loom could not finish this";
    case "skipped":
      return "Skipped";
    case "cancelled":
      return "Cancelled";
    default:
      return assertNever(state);
  }
}

function summaryOf(view: StageCheckView): string {
  const { state, verdict, stage } = view;
  const head = `${code(stage)} ${escapeMarkdown(view.name === stage ? "" : view.name, 120)}`.trimEnd();
  const plan = view.planPr === null ? "" : ` The plan is #${view.planPr}.`;
  const parts = [`${head}, attempt ${view.attempt} of run ${code(view.runId)}.${plan}`, bodyOf(state, stage)];
  if (verdict && state.kind === "passed") parts.push(checksSentence(verdict));
  if (view.unconfined) parts.push(sandboxTexts.stageHadNone());
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** Evidence first, then what only helps to understand it: what was out of reach, what the agent said, what it used. */
function textOf({ deniedHosts, warnings, report, usedBy }: StageCheckView, criteria: string): string | null {
  const parts = [
    criteria,
    warnings.map((text) => `Warning: ${escapeSentence(text)}`).join("\n\n"),
    deniedHosts.length === 0 ? "" : deniedPart(deniedHosts),
    report === null || report.trim() === ""
      ? ""
      : `### What the agent says\n\nIt proves nothing; the checks do.\n\n${fenced(report, { maxChars: 8_000 })}`,
    usedBy.length === 0
      ? ""
      : `### Used\n\n${usageLines(usedBy)
          .map((line) => `- ${escapeMarkdown(line)}`)
          .join("\n")}`,
  ];
  return parts.filter((part) => part !== "").join("\n\n") || null;
}

const HOSTS_SHOWN = 50;

function deniedPart(hosts: readonly string[]): string {
  const shown = hosts.slice(0, HOSTS_SHOWN).map((host) => `- ${code(host)}`);
  const more = hosts.length - shown.length;
  return `### Hosts that were refused\n\nThe sandbox let nothing through to these. If the work needs one, name it in the plan's \`sandbox.network\`; what is not public only Loom's operator can open. A request that follows the model's host was not sent to the model, and stays closed.\n\n${shown.join("\n")}${more > 0 ? `\n- and ${more} more` : ""}`;
}

function bodyOf(state: StageCheckState, stage: string): string {
  switch (state.kind) {
    case "queued":
    case "verifying":
      return "";
    case "working":
      return state.activity ? `Last seen: ${escapeMarkdown(state.activity, 200)}` : "";
    case "passed":
      return state.merged
        ? "It is merged."
        : "Loom ran every check of the approved plan itself, on a clean checkout of this commit.";
    case "failed": {
      const evidence = state.evidence ? `\n\n${fenced(state.evidence, { maxChars: 4_000 })}` : "";
      const next = state.retries
        ? "The next attempt gets this output and goes on from here."
        : `Give it fresh attempts with ${commandNames.retry(stage)}, do it yourself with ${commandNames.take(stage)}, or go on without it with ${commandNames.skip(stage)}.`;
      return `${escapeSentence(state.message)}${evidence}\n\n${next}`;
    }
    case "asks":
    case "needs-person":
      return `${escapeSentence(state.reason)}\n\n${escapeSentence(state.next)}`.trimEnd();
    case "fault":
      return `${escapeSentence(state.message)}\n\nThis says nothing about the change. ${commandNames.retry(stage)} tries again.`;
    case "skipped":
      return escapeSentence(state.reason);
    case "cancelled":
      return `Cancelled by ${escapeMarkdown(state.by)}.`;
    default:
      return assertNever(state);
  }
}
