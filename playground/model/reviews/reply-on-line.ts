import { checkBody } from "../checks/check-body.ts";
import { nextId } from "../next-id.ts";
import type { Actor } from "../people/actor.ts";
import { tell } from "../people/subjects.ts";
import { missingField } from "../refusal.ts";
import type { LineComment, Repository } from "../types.ts";
import type { World } from "../world.ts";
import { findLineComment } from "./find-line-comment.ts";
import { submitReview } from "./submit-review.ts";

/** An answer in the conversation that a comment belongs to. GitHub makes a review without words for it. */
export function replyOnLine(
  world: World,
  repository: Repository,
  to: number,
  options: Actor & { readonly body: string },
): LineComment {
  const { issue, thread } = findLineComment(repository, to);
  if (options.body.trim() === "") throw missingField("PullRequestReviewComment", "body");
  checkBody("PullRequestReviewComment", options.body);
  const { by, viaApp } = options;
  const review = submitReview(world, repository, issue, {
    by,
    ...(viaApp !== undefined && { viaApp }),
    state: "COMMENTED",
    onLines: true,
  });
  const comment: LineComment = {
    id: nextId(world),
    review: review.id,
    author: by,
    viaApp: viaApp ?? null,
    body: options.body,
    createdAt: review.submittedAt,
    updatedAt: review.submittedAt,
    reactions: [],
  };
  thread.comments.push(comment);
  const at = { repository, sender: by };
  tell(world, "pull_request_review_comment", "created", at, { issue, thread, comment });
  return comment;
}
