import type { PullIssue } from "../find.ts";
import { inTurn } from "../in-turn.ts";
import { personOf } from "../people/person-of.ts";
import { tell } from "../people/subjects.ts";
import { mergeMessage } from "../pulls/merge-message.ts";
import { mergeProblem } from "../pulls/merge-problem.ts";
import { Refusal } from "../refusal.ts";
import type { Login, MergeMethod, QueueEntry, Repository } from "../types.ts";
import type { World } from "../world.ts";

export type QueueWish = {
  readonly by: Login;
  readonly method?: MergeMethod;
  readonly sha?: string | undefined;
};

/** Puts a pull request into the merge queue of its base branch and asks for checks on the merged result. */
export function enqueue(
  world: World,
  repository: Repository,
  issue: PullIssue,
  wish: QueueWish,
): Promise<QueueEntry> {
  return inTurn(repository, () => enqueueWithinTurn(world, repository, issue, wish));
}

export async function enqueueWithinTurn(
  world: World,
  repository: Repository,
  issue: PullIssue,
  wish: QueueWish,
): Promise<QueueEntry> {
  const { pull } = issue;
  if (!repository.protection.get(pull.baseRef)?.mergeQueue) {
    throw new Refusal(422, `The ${pull.baseRef} branch has no merge queue.`);
  }
  const queue = queueOf(repository, pull.baseRef);
  const known = queue.find((entry) => entry.pull === issue.number);
  if (known) return known;
  const [first = "merge"] = repository.mergeMethods;
  const method = wish.method ?? first;
  const problem = await mergeProblem(world, repository, issue, { method, sha: wish.sha, fromQueue: true });
  if (problem) throw problem;
  const base = queue.at(-1)?.headSha ?? (await world.git.tip(repository.gitDir, pull.baseRef));
  if (base === null) throw new Refusal(405, "Pull Request is not mergeable");
  const entry = await buildGroup(world, repository, issue, { base, method, by: wish.by });
  if (!entry) throw new Refusal(405, "Pull Request is not mergeable");
  queue.push(entry);
  const at = { repository, sender: wish.by };
  tell(world, "pull_request", "enqueued", at, { issue });
  tell(world, "merge_group", "checks_requested", at, { entry, baseRef: pull.baseRef });
  return entry;
}

export function queueOf(repository: Repository, branch: string): QueueEntry[] {
  const queue = repository.mergeQueues.get(branch) ?? [];
  repository.mergeQueues.set(branch, queue);
  return queue;
}

/** The commit that would stand on the base, under a branch of GitHub's own; null when it conflicts. */
export async function buildGroup(
  world: World,
  repository: Repository,
  issue: PullIssue,
  on: { readonly base: string; readonly method: MergeMethod; readonly by: Login },
): Promise<QueueEntry | null> {
  const { pull, number } = issue;
  const { base, method, by } = on;
  const message = await mergeMessage(world, repository, issue, { method, base });
  const author = personOf(world, by);
  const made = await world.git.merge(repository.gitDir, {
    method,
    base,
    head: pull.headSha,
    message,
    author,
  });
  if (made.kind === "conflict") return null;
  const headRef = `refs/heads/gh-readonly-queue/${pull.baseRef}/pr-${number}-${base}`;
  await world.git.updateRef(repository.gitDir, headRef, made.sha);
  return {
    pull: number,
    headRef,
    headSha: made.sha,
    pullHead: pull.headSha,
    baseSha: base,
    method,
    by,
    state: "AWAITING_CHECKS",
  };
}
