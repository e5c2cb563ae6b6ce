import { assertNever } from "../../errors.ts";
import { shortSha } from "../run-counts.ts";
import { say } from "./hosted-commands.ts";
import { code, inert, inertSentence } from "./inert.ts";
import { formatUsd } from "./money.ts";
import type { Ask } from "./views.ts";

/** What a person has to do, and how: one line each. */
export function renderAsk(ask: Ask): string {
  switch (ask.kind) {
    case "approve":
      return `Approve the plan in #${ask.pr}: set the label ${code(ask.label)}, or comment ${say.approve(ask.head)} there (its head is ${code(shortSha(ask.head))}).`;
    case "mend-plan":
      return `Mend the plan in #${ask.pr}: as it is at ${code(shortSha(ask.head))}, it can't be approved. ${inertSentence(ask.problem, 400)}`;
    case "answer":
      return `${code(ask.stage)} asks: ${inert(ask.question, 400)} Answer with ${say.answer(ask.stage)}`;
    case "unblock":
      return `${code(ask.stage)} is stuck: ${inertSentence(ask.reason, 400)} ${unblockWith(ask.stage, ask.reason)}`;
    case "merge":
      return `Review and merge #${ask.pr} (${code(ask.stage)}).${ask.why === undefined ? "" : ` ${inertSentence(ask.why, 400)}`}`;
    case "push":
      return `${code(ask.stage)} waits for ${inert(ask.by)} to push to ${code(ask.branch, 200)}.`;
    case "budget":
      return `${formatUsd(ask.spentUsd)} of ${formatUsd(ask.budgetUsd)} are spent, so nothing new starts. ${say.resume()} goes on all the same, ${say.cancel()} ends the run.`;
    default:
      return assertNever(ask);
  }
}

/** A reason that already says what to write needs no second advice. */
function unblockWith(stage: string, reason: string): string {
  if (reason.includes("`/loom ")) return "";
  return `Give it fresh attempts with ${say.retry(stage)}, do it yourself with ${say.take(stage)}, or go on without it with ${say.skip(stage)}.`;
}
