import { checkBody } from "../checks/check-body.ts";
import { tell } from "../people/subjects.ts";
import type { Comment, Login, Repository } from "../types.ts";
import type { World } from "../world.ts";
import { findComment } from "./find-comment.ts";

/** An edit that changes nothing is not announced. */
export function editComment(
  world: World,
  repository: Repository,
  id: number,
  options: { readonly by: Login; readonly body: string },
): Comment {
  const { issue, comment } = findComment(repository, id);
  checkBody("IssueComment", options.body);
  if (comment.body === options.body) return comment;
  const changes = { body: { from: comment.body } };
  comment.body = options.body;
  comment.updatedAt = world.clock.now();
  tell(world, "issue_comment", "edited", { repository, sender: options.by }, { issue, comment, changes });
  return comment;
}
