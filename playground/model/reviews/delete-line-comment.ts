import { tell } from "../people/subjects.ts";
import type { Login, Repository } from "../types.ts";
import type { World } from "../world.ts";
import { findLineComment } from "./find-line-comment.ts";

export function deleteLineComment(
  world: World,
  repository: Repository,
  id: number,
  options: { readonly by: Login },
): void {
  const { issue, thread, comment } = findLineComment(repository, id);
  const at = { repository, sender: options.by };
  tell(world, "pull_request_review_comment", "deleted", at, { issue, thread, comment });
  thread.comments.splice(thread.comments.indexOf(comment), 1);
  const { threads } = issue.pull;
  if (thread.comments.length === 0) threads.splice(threads.indexOf(thread), 1);
}
