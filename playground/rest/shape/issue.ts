import type { Issue, Repository } from "../../model/types.ts";
import type { World } from "../../model/world.ts";
import { instant, instantOrNull, nodeId, repoApiUrl, repoHtmlUrl } from "./addresses.ts";
import { appOrNull } from "./app.ts";
import { authorAssociation } from "./association.ts";
import { labelShape } from "./label.ts";
import { reactionRollup } from "./reaction.ts";
import { userShape } from "./user.ts";

/** Pull requests are issues too; those have a `pull_request`. */
export function issueShape(world: World, repository: Repository, issue: Issue) {
  const url = repoApiUrl(world, repository, `/issues/${issue.number}`);
  const kind = issue.pull ? "pull" : "issues";
  return {
    id: issue.id,
    node_id: nodeId("Issue", issue.id),
    url,
    repository_url: repoApiUrl(world, repository),
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    html_url: repoHtmlUrl(world, repository, `/${kind}/${issue.number}`),
    number: issue.number,
    title: issue.title,
    body: issue.body === "" ? null : issue.body,
    user: userShape(world, issue.author),
    author_association: authorAssociation(world, repository, issue.author),
    state: issue.state,
    state_reason: issue.stateReason,
    labels: issue.labels.map((label) => labelShape(world, repository, label)),
    assignee: null,
    assignees: [] as unknown[],
    milestone: null,
    locked: issue.locked,
    active_lock_reason: null,
    comments: issue.comments.length,
    created_at: instant(issue.createdAt),
    updated_at: instant(issue.updatedAt),
    closed_at: instantOrNull(issue.closedAt),
    closed_by: issue.closedBy === null ? null : userShape(world, issue.closedBy),
    performed_via_github_app: appOrNull(world, issue.viaApp),
    reactions: reactionRollup(issue.reactions, url),
    timeline_url: `${url}/timeline`,
    ...(issue.pull && { draft: issue.pull.draft, pull_request: pullLinks(world, repository, issue) }),
  };
}

function pullLinks(world: World, repository: Repository, issue: Issue) {
  const html = repoHtmlUrl(world, repository, `/pull/${issue.number}`);
  return {
    url: repoApiUrl(world, repository, `/pulls/${issue.number}`),
    html_url: html,
    diff_url: `${html}.diff`,
    patch_url: `${html}.patch`,
    merged_at: instantOrNull(issue.pull?.mergedAt ?? null),
  };
}
