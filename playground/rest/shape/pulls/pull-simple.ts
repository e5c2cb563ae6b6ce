import { headRepository, type PullIssue } from "../../../model/find.ts";
import { stackOf } from "../../../model/stacks/advance-stack.ts";
import type { Repository } from "../../../model/types.ts";
import type { World } from "../../../model/world.ts";
import { instant, instantOrNull, nodeId, repoApiUrl, repoHtmlUrl } from "../addresses.ts";
import { authorAssociation } from "../association.ts";
import { labelShape } from "../label.ts";
import { repositoryShape } from "../repository.ts";
import { userShape } from "../user.ts";

/** What lists have, and `GET` has besides what must be computed. */
export function pullSimpleShape(world: World, repository: Repository, issue: PullIssue) {
  const { pull, number } = issue;
  const html = repoHtmlUrl(world, repository, `/pull/${number}`);
  const links = pullLinks(world, repository, issue);
  return {
    id: pull.id,
    node_id: nodeId("PullRequest", pull.id),
    url: links.self,
    html_url: html,
    diff_url: `${html}.diff`,
    patch_url: `${html}.patch`,
    issue_url: links.issue,
    number,
    state: issue.state,
    locked: issue.locked,
    title: issue.title,
    user: userShape(world, issue.author),
    body: issue.body === "" ? null : issue.body,
    created_at: instant(issue.createdAt),
    updated_at: instant(issue.updatedAt),
    closed_at: instantOrNull(issue.closedAt),
    merged_at: instantOrNull(pull.mergedAt),
    merge_commit_sha: pull.mergeCommitSha,
    assignee: null,
    assignees: [] as unknown[],
    requested_reviewers: pull.requestedReviewers.map((login) => userShape(world, login)),
    requested_teams: [] as unknown[],
    // Here, and only here, the description of the API wants a text.
    labels: issue.labels.map((name) => {
      const label = labelShape(world, repository, name);
      return { ...label, description: label.description ?? "" };
    }),
    milestone: null,
    draft: pull.draft,
    commits_url: links.commits,
    review_comments_url: links.review_comments,
    review_comment_url: links.review_comment,
    comments_url: links.comments,
    statuses_url: links.statuses,
    head: side(world, headRepository(world, issue), {
      ref: pull.headRef,
      sha: pull.headSha,
      login: issue.author,
    }),
    base: side(world, repository, { ref: pull.baseRef, sha: pull.baseSha, login: repository.owner }),
    _links: Object.fromEntries(
      Object.entries({ ...links, html }).map(([name, href]) => [name, { href }]),
    ) as Record<keyof typeof links | "html", { href: string }>,
    author_association: authorAssociation(world, repository, issue.author),
    auto_merge:
      pull.autoMerge === null
        ? null
        : {
            enabled_by: userShape(world, pull.autoMerge.by),
            merge_method: pull.autoMerge.method,
            commit_title: issue.title,
            commit_message: "",
          },
    active_lock_reason: null,
    ...stackPart(repository, issue),
  };
}

function pullLinks(world: World, repository: Repository, issue: PullIssue) {
  const self = repoApiUrl(world, repository, `/pulls/${issue.number}`);
  const asIssue = repoApiUrl(world, repository, `/issues/${issue.number}`);
  return {
    self,
    issue: asIssue,
    comments: `${asIssue}/comments`,
    review_comments: `${self}/comments`,
    review_comment: repoApiUrl(world, repository, "/pulls/comments{/number}"),
    commits: `${self}/commits`,
    statuses: repoApiUrl(world, repository, `/statuses/${issue.pull.headSha}`),
  };
}

function side(
  world: World,
  repository: Repository | null,
  at: { readonly ref: string; readonly sha: string; readonly login: string },
) {
  const owner = repository?.owner ?? at.login;
  return {
    label: `${owner}:${at.ref}`,
    ref: at.ref,
    sha: at.sha,
    user: userShape(world, owner),
    repo: repository && repositoryShape(world, repository),
  };
}

function stackPart(repository: Repository, issue: PullIssue) {
  const stack = stackOf(repository, issue);
  if (!stack) return {};
  return {
    stack: {
      id: stack.id,
      number: stack.number,
      base: { ref: stack.base, sha: issue.pull.baseSha },
      size: stack.pulls.length,
      position: stack.pulls.indexOf(issue.number) + 1,
    },
  };
}
