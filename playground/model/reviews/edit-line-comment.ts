import { checkBody } from "../checks/check-body.ts";
import { tell } from "../people/subjects.ts";
import { missingField } from "../refusal.ts";
import type { LineComment, Login, Repository } from "../types.ts";
import type { World } from "../world.ts";
import { findLineComment } from "./find-line-comment.ts";

/** An edit that changes nothing is not announced. */
export function editLineComment(
  world: World,
  repository: Repository,
  id: number,
  options: { readonly by: Login; readonly body: string },
): LineComment {
  const { issue, thread, comment } = findLineComment(repository, id);
  if (options.body.trim() === "") throw missingField("PullRequestReviewComment", "body");
  checkBody("PullRequestReviewComment", options.body);
  if (comment.body === options.body) return comment;
  const changes = { body: { from: comment.body } };
  comment.body = options.body;
  comment.updatedAt = world.clock.now();
  const at = { repository, sender: options.by };
  tell(world, "pull_request_review_comment", "edited", at, { issue, thread, comment, changes });
  return comment;
}
