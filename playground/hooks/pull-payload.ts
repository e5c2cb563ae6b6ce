import { isPull, type PullIssue } from "../model/find.ts";
import type { Subjects } from "../model/people/subjects.ts";
import type { Issue, Repository } from "../model/types.ts";
import type { World } from "../model/world.ts";
import { labelShape } from "../rest/shape/label.ts";
import { lineCommentShape } from "../rest/shape/pulls/line-comment.ts";
import { pullSimpleShape } from "../rest/shape/pulls/pull-simple.ts";
import { reviewShape } from "../rest/shape/pulls/review.ts";
import { userShape } from "../rest/shape/user.ts";
import { repositoryPart } from "./payload-parts.ts";

/** Actions that say why, even if there is nothing to say. */
const WITH_REASON: readonly (string | null)[] = ["dequeued", "auto_merge_enabled", "auto_merge_disabled"];

export async function pullPayload(
  world: World,
  repository: Repository,
  action: string | null,
  subject: Subjects["pull_request"],
) {
  const issue = asPull(subject.issue);
  const { label, before, after, changes, requestedReviewer } = subject;
  const pull = fullPull(world, repository, issue);
  const rest = {
    number: issue.number,
    ...(label !== undefined && { label: labelShape(world, repository, label) }),
    ...(action === "synchronize" && { before, after }),
    ...(action === "edited" && { changes: changes ?? {} }),
    ...(requestedReviewer !== undefined && { requested_reviewer: userShape(world, requestedReviewer) }),
    ...(WITH_REASON.includes(action) && { reason: subject.reason ?? "" }),
  };
  return { ...rest, pull_request: await pull };
}

export function reviewPayload(
  world: World,
  repository: Repository,
  subject: Subjects["pull_request_review"],
) {
  const issue = asPull(subject.issue);
  const review = reviewShape(world, repository, issue, subject.review);
  return {
    review: { ...review, state: review.state.toLowerCase() },
    pull_request: simplePull(world, repository, issue),
    ...(subject.changes && { changes: subject.changes }),
  };
}

export function lineCommentPayload(
  world: World,
  repository: Repository,
  action: string | null,
  { issue, thread, comment, changes }: Subjects["pull_request_review_comment"],
) {
  const place = asPull(issue);
  return {
    comment: {
      ...lineCommentShape(world, repository, place, thread, comment),
      // Webhooks say null for what the API leaves out.
      position: thread.place?.position ?? null,
      line: thread.place?.line ?? null,
    },
    pull_request: simplePull(world, repository, place),
    ...(action === "edited" && { changes: changes ?? {} }),
  };
}

function simplePull(world: World, repository: Repository, issue: PullIssue) {
  const { stack: _, ...pull } = pullSimpleShape(world, repository, issue) as ReturnType<
    typeof pullSimpleShape
  > & {
    stack?: unknown;
  };
  const withProperties = <T extends { repo: unknown }>(side: T) =>
    side.repo === null ? side : { ...side, repo: { ...side.repo, custom_properties: {} } };
  return {
    ...pull,
    head: withProperties(pull.head),
    base: { ...pull.base, repo: repositoryPart(world, repository) },
  };
}

/** The model's part is taken at once, what git counts comes later and is of the same two commits. */
async function fullPull(world: World, repository: Repository, issue: PullIssue) {
  const { pull } = issue;
  const { headSha, baseSha } = pull;
  const mergeable = issue.state === "closed" ? null : pull.mergeable.value;
  const known = mergeable === null ? "unknown" : mergeable ? "clean" : "dirty";
  const model = {
    ...simplePull(world, repository, issue),
    merged: pull.merged,
    mergeable,
    rebaseable: mergeable,
    mergeable_state: pull.draft ? "draft" : known,
    merged_by: pull.mergedBy === null ? null : userShape(world, pull.mergedBy),
    comments: issue.comments.length,
    review_comments: pull.threads.reduce((sum, thread) => sum + thread.comments.length, 0),
    maintainer_can_modify: false,
  };
  const [from, commits] = await Promise.all([
    world.git.mergeBase(repository.gitDir, baseSha, headSha),
    world.git.commits(repository.gitDir, { from: baseSha, to: headSha }),
  ]);
  const files = await world.git.changedFiles(repository.gitDir, from, headSha);
  return {
    ...model,
    commits: commits.length,
    additions: files.reduce((sum, file) => sum + file.additions, 0),
    deletions: files.reduce((sum, file) => sum + file.deletions, 0),
    changed_files: files.length,
  };
}

function asPull(issue: Issue): PullIssue {
  if (isPull(issue)) return issue;
  throw new Error(`failed to tell about pull request ${issue.number}: it is an issue`);
}
