import type { Comment, Issue, Repository } from "../../model/types.ts";
import type { World } from "../../model/world.ts";
import { instant, nodeId, repoApiUrl, repoHtmlUrl } from "./addresses.ts";
import { appOrNull } from "./app.ts";
import { authorAssociation } from "./association.ts";
import { reactionRollup } from "./reaction.ts";
import { userShape } from "./user.ts";

export function commentShape(world: World, repository: Repository, issue: Issue, comment: Comment) {
  const url = repoApiUrl(world, repository, `/issues/comments/${comment.id}`);
  const page = `/${issue.pull ? "pull" : "issues"}/${issue.number}#issuecomment-${comment.id}`;
  return {
    id: comment.id,
    node_id: nodeId("IssueComment", comment.id),
    url,
    html_url: repoHtmlUrl(world, repository, page),
    issue_url: repoApiUrl(world, repository, `/issues/${issue.number}`),
    user: userShape(world, comment.author),
    created_at: instant(comment.createdAt),
    updated_at: instant(comment.updatedAt),
    author_association: authorAssociation(world, repository, comment.author),
    body: comment.body,
    reactions: reactionRollup(comment.reactions, url),
    performed_via_github_app: appOrNull(world, comment.viaApp),
  };
}
