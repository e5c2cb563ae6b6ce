import { assertNever } from "../../../errors.ts";
import type { Sha } from "../../../ids.ts";
import { code, escapeMarkdown, escapeSentence } from "../../../markdown/escape-markdown.ts";
import type { Problem } from "../../../plan/problem.ts";
import { shortSha } from "../../terminal/run-counts.ts";
import { commandNames } from "../markdown/command-names.ts";
import { countProblems, renderProblems } from "../markdown/problem-list.ts";
import { type CheckReport, checkActions, checkNames, checkReport } from "../run/check-report.ts";
import { cannotApprove } from "./edit-problems.ts";

export type PlanCheckState =
  | { readonly kind: "planning" }
  | { readonly kind: "broken"; readonly problems: readonly Problem[] }
  | {
      readonly kind: "awaited";
      readonly head: Sha;
      readonly label: string;
      readonly leastRole: string;
      /** Why an earlier approval no longer counts. */
      readonly voided: string | null;
    }
  /** Somebody pushed a plan that the run can't go on with. */
  | {
      readonly kind: "refused-edit";
      readonly head: Sha;
      readonly planPath: string;
      readonly problems: readonly string[];
    }
  | { readonly kind: "approved"; readonly by: string; readonly role: string; readonly head: Sha }
  | { readonly kind: "cancelled"; readonly by: string }
  | { readonly kind: "fault"; readonly message: string };

/** The check run of a plan: whether it can be used, and who has approved it. */
export function planCheck(state: PlanCheckState): CheckReport {
  const completed = (
    parts: Pick<CheckReport, "conclusion" | "title" | "summary"> & Partial<CheckReport>,
  ): CheckReport => checkReport({ name: checkNames.plan, status: "completed", ...parts });
  switch (state.kind) {
    case "planning":
      return checkReport({
        name: checkNames.plan,
        status: "in_progress",
        conclusion: null,
        title: "The plan is being written",
        summary: "Nothing runs before somebody approves it.\n",
      });
    case "broken":
      return completed({
        conclusion: "failure",
        title: `The plan can't be run: ${countProblems(state.problems)}`,
        summary: `${renderProblems(state.problems)}\n\nClose this pull request to drop the plan, then ask for another one with ${commandNames.run()}.\n`,
      });
    case "awaited":
      return completed({
        conclusion: "action_required",
        title: state.voided ? "The approval no longer counts" : "Waits for approval",
        summary: `${state.voided ? `The approval no longer counts: ${escapeSentence(state.voided)}\n\n` : ""}${howToApprove(state)}\n`,
        actions: [checkActions.approve],
      });
    case "refused-edit":
      return completed({
        conclusion: "action_required",
        title: "The plan was changed and can't be used as it is",
        summary: `${cannotApprove(state.head, state.planPath, state.problems)}\n`,
      });
    case "approved":
      return completed({
        conclusion: "success",
        title: `Approved by ${state.by}`,
        summary: `${escapeMarkdown(state.by)} (${escapeMarkdown(state.role)}) approved the plan at ${code(shortSha(state.head))}. A push to this branch voids that.\n`,
      });
    case "cancelled":
      return completed({
        conclusion: "cancelled",
        title: "Cancelled",
        summary: `Cancelled by ${escapeMarkdown(state.by)}. ${commandNames.run()} starts again.\n`,
      });
    case "fault":
      return completed({
        conclusion: "neutral",
        title: "Loom could not finish the plan",
        summary: `${escapeSentence(state.message)}\n\n${commandNames.run()} tries again.\n`,
      });
    default:
      return assertNever(state);
  }
}

/** For whoever may: one sentence that is the same wherever a plan waits. */
export function howToApprove({
  head,
  label,
  leastRole,
}: {
  head: Sha | null;
  label: string;
  leastRole: string;
}): string {
  return (
    `To approve, set the label ${code(label)} on the plan's pull request, or comment ${commandNames.approve(head)} there` +
    `${head === null ? "" : `: the approval is for ${code(shortSha(head))} and nothing else`}. It takes the role ${code(leastRole)} or more. ` +
    "A later push voids it."
  );
}
