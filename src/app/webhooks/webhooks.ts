import { checkRun } from "./check-run.ts";
import { checkSuite } from "./check-suite.ts";
import { installation } from "./installation.ts";
import { installationRepositories } from "./installation-repositories.ts";
import { issueComment } from "./issue-comment.ts";
import { issues } from "./issues.ts";
import { mergeGroup } from "./merge-group.ts";
import { pullRequest } from "./pull-request.ts";
import { pullRequestReview } from "./pull-request-review.ts";
import { pullRequestReviewComment } from "./pull-request-review-comment.ts";
import { push } from "./push.ts";
import type { Webhook } from "./webhook.ts";

/** Every webhook that Loom listens to. app.yml asks for the same, less what GitHub sends unasked. */
export const WEBHOOKS: readonly Webhook[] = [
  issueComment,
  issues,
  pullRequest,
  pullRequestReview,
  pullRequestReviewComment,
  checkRun,
  checkSuite,
  push,
  mergeGroup,
  installation,
  installationRepositories,
];
