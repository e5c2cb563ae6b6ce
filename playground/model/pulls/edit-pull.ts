import { headRepository, openPulls, type PullIssue } from "../find.ts";
import { closeIssue } from "../issues/close-issue.ts";
import { editText } from "../issues/edit-issue.ts";
import { reopenIssue } from "../issues/reopen-issue.ts";
import { tell } from "../people/subjects.ts";
import { invalid } from "../refusal.ts";
import { dismissStale } from "../reviews/dismiss-stale.ts";
import { settleThreads } from "../reviews/settle-threads.ts";
import { leaveQueue } from "../stacks/leave-queue.ts";
import type { Login, Repository } from "../types.ts";
import type { World } from "../world.ts";

export type PullEdit = {
  readonly by: Login;
  readonly title?: string;
  readonly body?: string;
  readonly base?: string;
  readonly state?: "open" | "closed";
  readonly draft?: boolean;
};

/** Everything is checked before anything changes. */
export async function editPull(
  world: World,
  repository: Repository,
  issue: PullIssue,
  edit: PullEdit,
): Promise<void> {
  const at = { repository, sender: edit.by };
  const base = edit.base !== undefined && edit.base !== issue.pull.baseRef ? edit.base : null;
  const baseSha = base === null ? null : await newBase(world, repository, issue, base);
  if (edit.state === "open" && issue.state === "closed") await checkReopen(world, repository, issue);
  const changes = editText(world, issue, edit);
  if (changes) tell(world, "pull_request", "edited", at, { issue, changes });
  if (base !== null && baseSha !== null) {
    await retarget(world, repository, issue, { by: edit.by, base, baseSha });
  }
  if (edit.draft !== undefined && edit.draft !== issue.pull.draft) {
    issue.pull.draft = edit.draft;
    tell(world, "pull_request", edit.draft ? "converted_to_draft" : "ready_for_review", at, { issue });
  }
  if (edit.state === "closed") {
    await leaveQueue(world, repository, issue, { by: edit.by, reason: "pull request closed" });
    closeIssue(world, repository, issue, { by: edit.by });
  }
  if (edit.state === "open") reopenIssue(world, repository, issue, { by: edit.by });
}

/** Moves a pull request to another base without asking whether it may; approvals can become stale by it. */
export async function retarget(
  world: World,
  repository: Repository,
  issue: PullIssue,
  to: { readonly by: Login; readonly base: string; readonly baseSha: string },
): Promise<void> {
  const { pull } = issue;
  const changes = { base: { ref: { from: pull.baseRef }, sha: { from: pull.baseSha } } };
  pull.baseRef = to.base;
  pull.baseSha = to.baseSha;
  pull.mergeable = { value: null, knownAt: null };
  issue.updatedAt = world.clock.now();
  tell(world, "pull_request", "edited", { repository, sender: to.by }, { issue, changes });
  dismissStale(world, repository, issue, to.by);
  await settleThreads(world, repository, issue);
}

async function newBase(
  world: World,
  repository: Repository,
  issue: PullIssue,
  base: string,
): Promise<string> {
  const { pull } = issue;
  if (pull.stack !== null) {
    throw invalid(
      "PullRequest",
      "base",
      "Cannot change the base branch of a pull request that is part of a stack.",
    );
  }
  if (issue.state === "closed") {
    throw invalid("PullRequest", "base", "Cannot change the base branch of a closed pull request.");
  }
  const sha = await world.git.tip(repository.gitDir, base);
  if (sha === null) throw invalid("PullRequest", "base", `Proposed base branch '${base}' was not found`);
  const twin = openPulls(repository).some(
    (other) =>
      other !== issue &&
      other.pull.headRef === pull.headRef &&
      other.pull.headRepo === pull.headRepo &&
      other.pull.baseRef === base,
  );
  if (twin) {
    const message = `A pull request already exists for base branch '${base}' and head branch '${pull.headRef}'`;
    throw invalid("PullRequest", "base", message);
  }
  if (await world.git.isAncestor(repository.gitDir, pull.headSha, sha)) {
    const message = `There are no new commits between base branch '${base}' and head branch '${pull.headRef}'`;
    throw invalid("PullRequest", "base", message);
  }
  return sha;
}

/** GitHub keeps a pull request closed when its branches are gone or were rewritten meanwhile. */
async function checkReopen(world: World, repository: Repository, issue: PullIssue): Promise<void> {
  const { pull } = issue;
  const refuse = (why: string) => invalid("PullRequest", "state", `state cannot be changed. ${why}`);
  if (pull.merged) throw refuse("The pull request has already been merged.");
  const from = headRepository(world, issue);
  const head = from && (await world.git.tip(from.gitDir, pull.headRef));
  if (!from || !head) throw refuse(`The ${pull.headRef} branch has been deleted.`);
  const base = await world.git.tip(repository.gitDir, pull.baseRef);
  if (base === null) throw refuse(`The ${pull.baseRef} branch has been deleted.`);
  if (!(await world.git.isAncestor(from.gitDir, pull.headSha, head))) {
    throw refuse(`The ${pull.headRef} branch was force-pushed or recreated.`);
  }
  if (from !== repository) await world.git.fetchFrom(repository.gitDir, from.gitDir, head);
  if (await world.git.isAncestor(repository.gitDir, head, base)) {
    throw refuse(
      `There are no new commits between base branch '${pull.baseRef}' and head branch '${pull.headRef}'.`,
    );
  }
  pull.headSha = head;
  pull.mergeable = { value: null, knownAt: null };
}
