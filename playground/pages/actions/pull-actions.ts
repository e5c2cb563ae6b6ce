import type { PullIssue } from "../../model/find.ts";
import { asyncMerge } from "../../model/pulls/async-merge.ts";
import { deleteBranch } from "../../model/pulls/delete-branch.ts";
import { editPull } from "../../model/pulls/edit-pull.ts";
import { mergePull } from "../../model/pulls/merge-pull.ts";
import { notFound, Refusal } from "../../model/refusal.ts";
import { mustMayResolve, resolveThread } from "../../model/reviews/resolve-thread.ts";
import { submitReview } from "../../model/reviews/submit-review.ts";
import { enqueue } from "../../model/stacks/enqueue.ts";
import { leaveQueue } from "../../model/stacks/leave-queue.ts";
import type { MergeMethod } from "../../model/types.ts";
import { mustBeAllowed } from "../may.ts";
import { type Answer, go, type RepositoryVisit } from "../visit.ts";

export async function mergeAction(visit: RepositoryVisit, issue: PullIssue): Promise<Answer> {
  mustBeAllowed(visit, "merge");
  const method = visit.form.get("method") ?? [...visit.repository.mergeMethods][0] ?? "merge";
  if (!isMethod(method)) throw new Refusal(422, "Choose merge, squash or rebase.");
  const sha = visit.form.get("sha") ?? undefined;
  const wish = { by: visit.viewer, method, sha };
  // What is stacked merges with everything below it, which takes a while: the page shows how it goes.
  if (issue.pull.stack === null) await mergePull(visit.world, visit.repository, issue, wish);
  else startMerge(visit, issue, wish);
  return go(addressOf(visit, issue));
}

function startMerge(
  visit: RepositoryVisit,
  issue: PullIssue,
  wish: { by: string; method: MergeMethod; sha: string | undefined },
): void {
  const answer = asyncMerge(visit.world, visit.repository, issue, wish);
  if (answer.kind === "impossible") throw new Refusal(405, answer.message);
}

export async function queueAction(visit: RepositoryVisit, issue: PullIssue): Promise<Answer> {
  mustBeAllowed(visit, "merge");
  const { world, repository, viewer: by, form } = visit;
  if (form.get("do") === "leave") await leaveQueue(world, repository, issue, { by });
  else await enqueue(world, repository, issue, { by, sha: form.get("sha") ?? undefined });
  return go(addressOf(visit, issue));
}

export function reviewAction(visit: RepositoryVisit, issue: PullIssue): Answer {
  mustBeAllowed(visit, "review");
  const state = visit.form.get("state");
  if (state !== "APPROVED" && state !== "CHANGES_REQUESTED" && state !== "COMMENTED") {
    throw new Refusal(422, "Choose a verdict: comment, approve or request changes.");
  }
  const body = (visit.form.get("body") ?? "").replaceAll("\r\n", "\n").trim();
  const commit = visit.form.get("commit") ?? issue.pull.headSha;
  if (commit !== issue.pull.headSha)
    throw new Refusal(409, "New commits were pushed. Look at them, then review again.");
  submitReview(visit.world, visit.repository, issue, { by: visit.viewer, state, body, commit });
  return go(addressOf(visit, issue));
}

export function threadAction(visit: RepositoryVisit, issue: PullIssue, id: number): Answer {
  mustMayResolve(visit.world, visit.repository, issue, visit.viewer);
  const thread = issue.pull.threads.find((one) => one.id === id);
  if (!thread) throw notFound();
  resolveThread(thread, { by: visit.viewer, resolved: visit.form.get("do") !== "open" });
  return go(`${addressOf(visit, issue)}#thread-${id}`);
}

export async function readyAction(visit: RepositoryVisit, issue: PullIssue): Promise<Answer> {
  if (issue.author !== visit.viewer) mustBeAllowed(visit, "merge");
  await editPull(visit.world, visit.repository, issue, { by: visit.viewer, draft: false });
  return go(addressOf(visit, issue));
}

/** The button of a finished pull request moves the ones on top of it to its base, which the API does not. */
export async function deleteHeadAction(visit: RepositoryVisit, issue: PullIssue): Promise<Answer> {
  mustBeAllowed(visit, "deleteBranch");
  const { headRef: branch, baseRef, headRepo, merged } = issue.pull;
  if (issue.state === "open") throw new Refusal(422, "Close or merge the pull request first.");
  if (headRepo !== visit.repository.id) throw new Refusal(422, "The branch belongs to another repository.");
  const retarget = merged && { retargetTo: baseRef };
  await deleteBranch(visit.world, visit.repository, { by: visit.viewer, branch, ...retarget });
  return go(addressOf(visit, issue));
}

export async function deleteBranchAction(visit: RepositoryVisit): Promise<Answer> {
  mustBeAllowed(visit, "deleteBranch");
  const branch = visit.form.get("branch") ?? "";
  await deleteBranch(visit.world, visit.repository, { by: visit.viewer, branch });
  return go(`${visit.home}/branches`);
}

function addressOf(visit: RepositoryVisit, issue: PullIssue): string {
  return `${visit.home}/pull/${issue.number}`;
}

function isMethod(text: string): text is MergeMethod {
  return text === "merge" || text === "squash" || text === "rebase";
}
