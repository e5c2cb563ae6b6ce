import { notFound } from "../../model/refusal.ts";
import { dismissReview } from "../../model/reviews/dismiss-review.ts";
import { editReview } from "../../model/reviews/edit-review.ts";
import { type NewRemark, reviewLines } from "../../model/reviews/review-lines.ts";
import { submitReview } from "../../model/reviews/submit-review.ts";
import { type Answer, ok, type RepoCall, type Route } from "../call.ts";
import { paginate } from "../paginate.ts";
import {
  invalidRequest,
  listField,
  numberField,
  numberParam,
  oneOf,
  optionalText,
  textField,
} from "../read-fields.ts";
import { reviewShape } from "../shape/pulls/review.ts";
import { pullOf } from "./pulls.ts";

const ALL = "/repos/{owner}/{repo}/pulls/{pull_number}/reviews";
const STATES = { APPROVE: "APPROVED", REQUEST_CHANGES: "CHANGES_REQUESTED", COMMENT: "COMMENTED" } as const;

export const REVIEW_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: ALL,
    scope: "repository",
    needs: { permission: ["pull_requests"], level: "read" },
    handle: (call) => {
      const issue = pullOf(call);
      return paginate(call, issue.pull.reviews, (review) =>
        reviewShape(call.world, call.repository, issue, review),
      );
    },
  },
  {
    method: "POST",
    path: ALL,
    scope: "repository",
    needs: { permission: ["pull_requests"], level: "write" },
    createsContent: true,
    handle: createReview,
  },
  {
    method: "GET",
    path: `${ALL}/{review_id}`,
    scope: "repository",
    needs: { permission: ["pull_requests"], level: "read" },
    handle: (call) => {
      const id = numberParam(call, "review_id");
      const review = pullOf(call).pull.reviews.find((one) => one.id === id);
      if (!review) throw notFound();
      return ok(reviewShape(call.world, call.repository, pullOf(call), review));
    },
  },
  {
    method: "PUT",
    path: `${ALL}/{review_id}`,
    scope: "repository",
    needs: { permission: ["pull_requests"], level: "write" },
    handle: (call) => {
      const { world, repository, by } = call;
      const issue = pullOf(call);
      const wish = { by, review: numberParam(call, "review_id"), body: textField(call.body, "body") };
      return ok(reviewShape(world, repository, issue, editReview(world, repository, issue, wish)));
    },
  },
  {
    method: "PUT",
    path: `${ALL}/{review_id}/dismissals`,
    scope: "repository",
    needs: { permission: ["pull_requests"], level: "write", role: "write" },
    handle: (call) => {
      const { world, repository, by } = call;
      const issue = pullOf(call);
      const review = dismissReview(world, repository, issue, { by, review: numberParam(call, "review_id") });
      return ok(reviewShape(world, repository, issue, review));
    },
  },
];

/** Without an event GitHub keeps a pending draft; nothing here writes drafts, so they are refused. */
async function createReview(call: RepoCall): Promise<Answer> {
  const { world, repository, body, by, viaApp } = call;
  const event = oneOf(body, "event", ["APPROVE", "REQUEST_CHANGES", "COMMENT"]);
  if (event === undefined) throw invalidRequest("Pending reviews are not kept here: supply an event.");
  const text = optionalText(body, "body");
  const commit = optionalText(body, "commit_id");
  const remarks = (listField(body, "comments") ?? []).map(readRemark);
  const issue = pullOf(call);
  const wish = {
    by,
    viaApp,
    state: STATES[event],
    ...(text !== undefined && { body: text }),
    ...(commit !== undefined && { commit }),
  };
  const review =
    remarks.length === 0
      ? submitReview(world, repository, issue, wish)
      : await reviewLines(world, repository, issue, { ...wish, remarks });
  return ok(reviewShape(world, repository, issue, review));
}

const SIDES = ["LEFT", "RIGHT"] as const;

/** GitHub still takes a `position` in the diff instead of a line; nothing here sends one. */
function readRemark(comment: unknown): NewRemark {
  if (typeof comment !== "object" || comment === null) throw invalidRequest("A comment is not an object.");
  const body = comment as Readonly<Record<string, unknown>>;
  const line = numberField(body, "line");
  if (line === undefined) throw invalidRequest('"line" wasn\'t supplied.');
  const side = oneOf(body, "side", SIDES) ?? "RIGHT";
  return {
    path: textField(body, "path"),
    body: textField(body, "body"),
    side,
    line,
    startSide: oneOf(body, "start_side", SIDES) ?? side,
    startLine: numberField(body, "start_line") ?? null,
  };
}
