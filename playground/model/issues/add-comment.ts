import { checkBody } from "../checks/check-body.ts";
import { nextId } from "../next-id.ts";
import type { Actor } from "../people/actor.ts";
import { tell } from "../people/subjects.ts";
import { missingField } from "../refusal.ts";
import type { Comment, Issue, Repository } from "../types.ts";
import type { World } from "../world.ts";

export function addComment(
  world: World,
  repository: Repository,
  issue: Issue,
  options: Actor & { readonly body: string },
): Comment {
  if (options.body.trim() === "") throw missingField("IssueComment", "body");
  checkBody("IssueComment", options.body);
  const now = world.clock.now();
  const comment: Comment = {
    id: nextId(world),
    author: options.by,
    viaApp: options.viaApp ?? null,
    body: options.body,
    createdAt: now,
    updatedAt: now,
    reactions: [],
  };
  issue.comments.push(comment);
  issue.updatedAt = now;
  tell(world, "issue_comment", "created", { repository, sender: options.by }, { issue, comment });
  return comment;
}
