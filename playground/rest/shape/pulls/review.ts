import type { PullIssue } from "../../../model/find.ts";
import type { Repository, Review } from "../../../model/types.ts";
import type { World } from "../../../model/world.ts";
import { instant, nodeId, repoApiUrl, repoHtmlUrl } from "../addresses.ts";
import { authorAssociation } from "../association.ts";
import { userShape } from "../user.ts";

export function reviewShape(world: World, repository: Repository, issue: PullIssue, review: Review) {
  const html = repoHtmlUrl(world, repository, `/pull/${issue.number}#pullrequestreview-${review.id}`);
  const pull = repoApiUrl(world, repository, `/pulls/${issue.number}`);
  return {
    id: review.id,
    node_id: nodeId("PullRequestReview", review.id),
    user: userShape(world, review.author),
    body: review.body,
    state: review.state,
    html_url: html,
    pull_request_url: pull,
    author_association: authorAssociation(world, repository, review.author),
    _links: { html: { href: html }, pull_request: { href: pull } },
    submitted_at: instant(review.submittedAt),
    commit_id: review.commit,
  };
}
