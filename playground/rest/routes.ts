import type { Route } from "./call.ts";
import { APP_ROUTES } from "./routes/apps.ts";
import { BRANCH_ROUTES } from "./routes/branches.ts";
import { CHECK_RUN_ROUTES } from "./routes/check-runs.ts";
import { CHECK_SUITE_ROUTES } from "./routes/check-suites.ts";
import { COMMENT_ROUTES } from "./routes/comments.ts";
import { COMMIT_ROUTES } from "./routes/commits.ts";
import { CONTENT_ROUTES } from "./routes/contents.ts";
import { DELIVERY_ROUTES } from "./routes/deliveries.ts";
import { GIT_OBJECT_ROUTES } from "./routes/git-objects.ts";
import { ISSUE_ROUTES } from "./routes/issues.ts";
import { LABEL_ROUTES } from "./routes/labels.ts";
import { LINE_COMMENT_ROUTES } from "./routes/line-comments.ts";
import { MERGING_ROUTES } from "./routes/merging.ts";
import { PULL_ROUTES } from "./routes/pulls.ts";
import { REACTION_ROUTES } from "./routes/reactions.ts";
import { REF_ROUTES } from "./routes/refs.ts";
import { REPOSITORY_ROUTES } from "./routes/repositories.ts";
import { REVIEW_ROUTES } from "./routes/reviews.ts";
import { STACK_ROUTES } from "./routes/stacks.ts";

/** Everything the API answers, by method and template of the official description. */
export const ROUTES: readonly Route[] = [
  ...APP_ROUTES,
  ...DELIVERY_ROUTES,
  ...REPOSITORY_ROUTES,
  ...ISSUE_ROUTES,
  ...COMMENT_ROUTES,
  ...REACTION_ROUTES,
  ...LABEL_ROUTES,
  ...PULL_ROUTES,
  ...REVIEW_ROUTES,
  ...LINE_COMMENT_ROUTES,
  ...MERGING_ROUTES,
  ...STACK_ROUTES,
  ...CHECK_RUN_ROUTES,
  ...CHECK_SUITE_ROUTES,
  ...BRANCH_ROUTES,
  ...REF_ROUTES,
  ...GIT_OBJECT_ROUTES,
  ...CONTENT_ROUTES,
  ...COMMIT_ROUTES,
];
