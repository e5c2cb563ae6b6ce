import { tell } from "../people/subjects.ts";
import type { Login, Repository } from "../types.ts";
import type { World } from "../world.ts";
import { findComment } from "./find-comment.ts";

export function deleteComment(
  world: World,
  repository: Repository,
  id: number,
  options: { readonly by: Login },
): void {
  const { issue, comment } = findComment(repository, id);
  issue.comments.splice(issue.comments.indexOf(comment), 1);
  tell(world, "issue_comment", "deleted", { repository, sender: options.by }, { issue, comment });
}
