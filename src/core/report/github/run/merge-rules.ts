import { code } from "../../../markdown/escape-markdown.ts";
import type { MergeRules } from "../../../merge/merge-rules.ts";
import { counted } from "../../../text/durations.ts";
import { listSome } from "../../../text/list-some.ts";

/** What an approver should know before a dozen pull requests wait for reviews: one sentence per rule. */
export function slowingRules(rules: MergeRules): string[] {
  const sentences: string[] = [];
  if (rules.requiredApprovals > 0) {
    sentences.push(`Each pull request needs ${counted(rules.requiredApprovals, "approving review")}.`);
  }
  if (rules.codeOwners) sentences.push("Code owners have to review what they own.");
  if (rules.dismissesReviews) {
    sentences.push(
      "A push dismisses reviews, so a stage that moves onto a merged one has to be reviewed again.",
    );
  }
  if (rules.requiredChecks.length > 0) {
    sentences.push(`Required checks: ${listSome(rules.requiredChecks, 8, (name) => code(name, 80))}.`);
  }
  if (rules.mergeQueue) sentences.push("Merges go through a merge queue.");
  if (rules.methods.length === 0) sentences.push("The repository allows no way to merge a pull request.");
  return sentences;
}
