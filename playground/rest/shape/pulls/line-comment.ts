import type { PullIssue } from "../../../model/find.ts";
import type { LineComment, Repository, ReviewThread } from "../../../model/types.ts";
import type { World } from "../../../model/world.ts";
import { instant, nodeId, repoApiUrl, repoHtmlUrl } from "../addresses.ts";
import { authorAssociation } from "../association.ts";
import { reactionRollup } from "../reaction.ts";
import { userShape } from "../user.ts";

/**
 * A comment on a line. Where its lines are not in the diff any more, GitHub gives null for `line` and `position`, which
 * its own description does not allow: here they are left out.
 */
export function lineCommentShape(
  world: World,
  repository: Repository,
  issue: PullIssue,
  thread: ReviewThread,
  comment: LineComment,
) {
  const url = repoApiUrl(world, repository, `/pulls/comments/${comment.id}`);
  const html = repoHtmlUrl(world, repository, `/pull/${issue.number}#discussion_r${comment.id}`);
  const pull = repoApiUrl(world, repository, `/pulls/${issue.number}`);
  const { original, place } = thread;
  const [first] = thread.comments;
  const isReply = first !== undefined && first !== comment;
  return {
    id: comment.id,
    node_id: nodeId("PullRequestReviewComment", comment.id),
    url,
    pull_request_review_id: comment.review,
    diff_hunk: thread.hunk,
    path: thread.path,
    commit_id: thread.commit,
    original_commit_id: original.commit,
    user: userShape(world, comment.author),
    body: comment.body,
    created_at: instant(comment.createdAt),
    updated_at: instant(comment.updatedAt),
    html_url: html,
    pull_request_url: pull,
    author_association: authorAssociation(world, repository, comment.author),
    _links: { self: { href: url }, html: { href: html }, pull_request: { href: pull } },
    reactions: reactionRollup(comment.reactions, url),
    ...(isReply && { in_reply_to_id: first.id }),
    ...(place && { position: place.position, line: place.line }),
    original_position: original.position,
    original_line: original.line,
    side: original.side,
    start_line: place?.startLine ?? null,
    original_start_line: original.startLine,
    start_side: original.startLine === null ? null : original.startSide,
    subject_type: "line" as const,
  };
}
