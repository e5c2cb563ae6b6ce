import { assertNever } from "../../../errors.ts";
import { code, escapeMarkdown, escapeSentence } from "../../../markdown/escape-markdown.ts";
import { formatUsd } from "../../../text/money.ts";
import { shortSha } from "../../terminal/run-counts.ts";
import { commandNames } from "../markdown/command-names.ts";
import type { Ask } from "./views.ts";

/** What a person has to do, and how: one line each. */
export function renderAsk(ask: Ask): string {
  switch (ask.kind) {
    case "approve":
      return `Approve the plan in #${ask.pr}: set the label ${code(ask.label)}, or comment ${commandNames.approve(ask.head)} there (its head is ${code(shortSha(ask.head))}).`;
    case "fix-plan":
      return `Fix the plan in #${ask.pr}: as it is at ${code(shortSha(ask.head))}, it can't be approved. ${escapeSentence(ask.problem, 400)}`;
    case "answer":
      return `${code(ask.stage)} asks: ${escapeMarkdown(ask.question, 400)} Answer with ${commandNames.answer(ask.stage)}`;
    case "unblock":
      return `${code(ask.stage)} is stuck: ${escapeSentence(ask.reason, 400)} ${unblockWith(ask.stage, ask.reason)}`;
    case "merge":
      return `Review and merge #${ask.pr} (${code(ask.stage)}).${ask.why === undefined ? "" : ` ${escapeSentence(ask.why, 400)}`}`;
    case "push":
      return `${code(ask.stage)} waits for ${escapeMarkdown(ask.by)} to push to ${code(ask.branch, 200)}.`;
    case "budget":
      return `${formatUsd(ask.spentUsd)} of ${formatUsd(ask.budgetUsd)} are spent, so nothing new starts. ${commandNames.resume()} goes on all the same, ${commandNames.cancel()} ends the run.`;
    default:
      return assertNever(ask);
  }
}

/** A reason that already says what to write needs no second advice. */
function unblockWith(stage: string, reason: string): string {
  if (reason.includes("`/loom ")) return "";
  return `Give it fresh attempts with ${commandNames.retry(stage)}, do it yourself with ${commandNames.take(stage)}, or go on without it with ${commandNames.skip(stage)}.`;
}
