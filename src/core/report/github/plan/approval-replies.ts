import type { ApprovalOutcome } from "../../../command/approval-outcome.ts";
import { assertNever } from "../../../errors.ts";
import type { Sha } from "../../../ids.ts";
import { code, escapeMarkdown, escapeSentence } from "../../../markdown/escape-markdown.ts";
import { shortSha } from "../../terminal/run-counts.ts";
import { commandNames } from "../markdown/command-names.ts";
import { cannotApprove } from "./edit-problems.ts";

export const approvalReplies = {
  approval(outcome: ApprovalOutcome, planPath: string): string {
    switch (outcome.kind) {
      case "approved":
        return `The plan is approved at ${code(shortSha(outcome.head))}. The first stages start now; a push to the plan voids the approval.`;
      case "already":
        return `The plan is already approved, by ${escapeMarkdown(outcome.by)}. Nothing changed.`;
      case "role":
        return `This did not approve the plan: it takes the role ${code(outcome.least)} or more in this repository. Ask somebody who has it.`;
      case "no-plan":
        return `There is no plan to approve yet. It will be opened as a pull request; ${commandNames.status()} says how far it is.`;
      case "ended":
        return `This run is over, so there is nothing to approve. ${commandNames.run()} on the issue starts a new one.`;
      case "closed":
        return `The plan's pull request is closed. Reopen it to approve it, or start again with ${commandNames.run()}.`;
      case "foreign":
        return "This did not approve anything: Loom runs only plans on a branch that it made itself, in this repository.";
      case "moved":
        return `This did not approve the plan: you named ${code(shortSha(outcome.seen))}, but its head is now ${code(shortSha(outcome.head))}. Read what changed, then comment ${commandNames.approve(outcome.head)}.`;
      case "older":
        return `This did not approve the plan: it changed after you wrote that. Read it at ${code(shortSha(outcome.head))}, then comment ${commandNames.approve(outcome.head)}.`;
      case "pushed":
        return `This did not approve the plan: somebody pushed to it since Loom opened it. Read it at ${code(shortSha(outcome.head))}, then comment ${commandNames.approve(outcome.head)}.`;
      case "used":
        return `This did not approve the plan: it did so once before, and that approval no longer counts. To approve the plan again, comment ${commandNames.approve(outcome.head)}.`;
      case "changed":
        return outcome.problems === null
          ? `This did not approve the plan: ${code(planPath, 200)} at ${code(shortSha(outcome.head))} was changed, and Loom has not looked at that yet. What changed will be said here; approve it then.`
          : `This did not approve the plan: ${cannotApprove(outcome.head, planPath, outcome.problems)}`;
      default:
        return assertNever(outcome);
    }
  },
  approvalVoided: (reason: string, head: Sha | null): string =>
    `The approval no longer counts: ${escapeSentence(reason)} Nothing new starts. Read the plan again, then comment ${commandNames.approve(head)}.`,
  botsMayNot: (): string => "This did not approve anything: only people approve plans.",
};
