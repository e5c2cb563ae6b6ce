import { requestSuites } from "../checks/request-suites.ts";
import { openPulls, type PullIssue } from "../find.ts";
import { closeByKeywords } from "../issues/close-by-keywords.ts";
import { closeIssue } from "../issues/close-issue.ts";
import { tell } from "../people/subjects.ts";
import { dismissStale } from "../reviews/dismiss-stale.ts";
import { settleThreads } from "../reviews/settle-threads.ts";
import { ejectFromQueue } from "../stacks/leave-queue.ts";
import type { Login, Repository } from "../types.ts";
import type { World } from "../world.ts";
import { markMerged } from "./mark-merged.ts";

/** null: the ref did not exist before, or does not after. */
export type RefUpdate = {
  readonly ref: string;
  readonly before: string | null;
  readonly after: string | null;
};

/**
 * Brings pull requests in line with refs that have moved, and announces. Needs the repository's turn. Safe to repeat:
 * it compares with what the pull requests know.
 */
export async function settlePush(
  world: World,
  repository: Repository,
  updates: readonly RefUpdate[],
  { by }: { readonly by: Login },
): Promise<void> {
  for (const update of updates) {
    repository.pushedAt = world.clock.now();
    await announcePush(world, repository, update, by);
    const branch = update.ref.startsWith("refs/heads/") ? update.ref.slice("refs/heads/".length) : null;
    if (branch === null) continue;
    await moveHeads(world, repository, branch, update, by);
    await moveBases(world, repository, branch, update, by);
  }
}

async function announcePush(
  world: World,
  repository: Repository,
  update: RefUpdate,
  by: Login,
): Promise<void> {
  const { ref, before, after } = update;
  const at = { repository, sender: by };
  const kind = ref.startsWith("refs/heads/") ? "branch" : ref.startsWith("refs/tags/") ? "tag" : null;
  if (kind === null) return;
  const name = ref.replace(/^refs\/(?:heads|tags)\//, "");
  if (before === null) tell(world, "create", null, at, { ref: name, refType: kind });
  if (after === null) tell(world, "delete", null, at, { ref: name, refType: kind });
  const forced =
    before !== null && after !== null && !(await world.git.isAncestor(repository.gitDir, before, after));
  tell(world, "push", null, at, { ref, before, after, forced });
  if (kind === "branch" && after !== null)
    requestSuites(world, repository, { sender: by, sha: after, branch: name });
  if (name === repository.defaultBranch && after !== null && before !== null) {
    const commits = await world.git.commits(repository.gitDir, { from: before, to: after, limit: 100 });
    for (const commit of commits) closeByKeywords(world, repository, commit.message, by);
  }
}

/** Pull requests that come from this branch, in this repository or in the one it was forked from. */
async function moveHeads(
  world: World,
  pushed: Repository,
  branch: string,
  update: RefUpdate,
  by: Login,
): Promise<void> {
  for (const repository of world.github.repositories) {
    for (const issue of openPulls(repository)) {
      const { pull } = issue;
      if (pull.headRepo !== pushed.id || pull.headRef !== branch || pull.headSha === update.after) continue;
      if (update.after === null) {
        await ejectFromQueue(world, repository, issue, { by, reason: "branch deleted" });
        closeIssue(world, repository, issue, { by });
        continue;
      }
      if (repository !== pushed) await world.git.fetchFrom(repository.gitDir, pushed.gitDir, update.after);
      await moveHead(world, repository, issue, update.after, by);
    }
  }
}

async function moveHead(
  world: World,
  repository: Repository,
  issue: PullIssue,
  sha: string,
  by: Login,
): Promise<void> {
  const { pull } = issue;
  const before = pull.headSha;
  pull.headSha = sha;
  pull.mergeable = { value: null, knownAt: null };
  issue.updatedAt = world.clock.now();
  await world.git.updateRef(repository.gitDir, `refs/pull/${issue.number}/head`, sha);
  const base = await world.git.tip(repository.gitDir, pull.baseRef);
  if (base !== null) pull.baseSha = base;
  await settleThreads(world, repository, issue);
  await ejectFromQueue(world, repository, issue, { by, reason: "branch updated" });
  tell(world, "pull_request", "synchronize", { repository, sender: by }, { issue, before, after: sha });
  dismissStale(world, repository, issue, by);
  // Nothing left to merge: GitHub closes it, and it is not merged.
  if (base !== null && (await world.git.isAncestor(repository.gitDir, sha, base))) {
    closeIssue(world, repository, issue, { by });
  }
}

async function moveBases(
  world: World,
  repository: Repository,
  branch: string,
  update: RefUpdate,
  by: Login,
): Promise<void> {
  for (const issue of openPulls(repository)) {
    const { pull } = issue;
    if (pull.baseRef !== branch) continue;
    if (update.after === null) {
      await ejectFromQueue(world, repository, issue, { by, reason: "base branch deleted" });
      closeIssue(world, repository, issue, { by });
      continue;
    }
    pull.mergeable = { value: null, knownAt: null };
    if (!(await world.git.isAncestor(repository.gitDir, pull.headSha, update.after))) continue;
    markMerged(world, repository, issue, { by, sha: update.after });
  }
}
