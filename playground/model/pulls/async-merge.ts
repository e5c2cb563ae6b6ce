import { randomUUID } from "node:crypto";
import { findPull, type PullIssue } from "../find.ts";
import { inTurn } from "../in-turn.ts";
import { notFound, Refusal } from "../refusal.ts";
import { stackOf } from "../stacks/advance-stack.ts";
import { enqueueWithinTurn, queueOf } from "../stacks/enqueue.ts";
import type { AsyncMerge, Login, MergeMethod, Repository } from "../types.ts";
import type { World } from "../world.ts";
import { mergeWithinTurn } from "./merge-pull.ts";

export type AsyncMergeAnswer =
  | { readonly kind: "accepted" | "running"; readonly merge: AsyncMerge }
  | { readonly kind: "merged"; readonly sha: string }
  | { readonly kind: "in-queue" }
  | { readonly kind: "impossible"; readonly message: string };

const A_DAY = 24 * 60 * 60 * 1000;

/** Only the pull request's own state is looked at now; rules come when the merge is done, at `dueAt`. */
export function asyncMerge(
  world: World,
  repository: Repository,
  issue: PullIssue,
  options: {
    readonly by: Login;
    readonly method?: MergeMethod;
    readonly sha?: string | undefined;
    readonly action?: AsyncMerge["action"];
  },
): AsyncMergeAnswer {
  const { pull } = issue;
  if (pull.merged) return { kind: "merged", sha: pull.mergeCommitSha ?? "" };
  if (queueOf(repository, pull.baseRef).some((entry) => entry.pull === issue.number))
    return { kind: "in-queue" };
  const running = repository.asyncMerges.find((one) => one.pull === issue.number && one.status === "pending");
  if (running) return { kind: "running", merge: running };
  if (issue.state === "closed") return { kind: "impossible", message: "Pull request is closed" };
  if (pull.draft) return { kind: "impossible", message: "Pull request is still a draft" };
  const [first = "merge"] = repository.mergeMethods;
  const merge: AsyncMerge = {
    uuid: randomUUID(),
    pull: issue.number,
    method: options.method ?? first,
    sha: options.sha ?? pull.headSha,
    action: options.action ?? "default",
    by: options.by,
    dueAt: world.clock.now() + world.delays.asyncMerge,
    mergeSha: null,
    status: "pending",
    message: null,
  };
  repository.asyncMerges.push(merge);
  return { kind: "accepted", merge };
}

/** Looks at a merge, and does it when its time has come. Forgotten after a day. */
export async function pollAsyncMerge(
  world: World,
  repository: Repository,
  uuid: string,
): Promise<AsyncMerge> {
  await settleAsyncMerges(world, repository);
  const merge = repository.asyncMerges.find((one) => one.uuid === uuid);
  if (!merge || world.clock.now() > merge.dueAt + A_DAY) throw notFound();
  return merge;
}

/** Does every merge whose time has come. */
export async function settleAsyncMerges(world: World, repository: Repository): Promise<void> {
  const due = (merge: AsyncMerge) => merge.status === "pending" && world.clock.now() >= merge.dueAt;
  if (!repository.asyncMerges.some(due)) return;
  await inTurn(repository, async () => {
    for (const merge of repository.asyncMerges) {
      if (due(merge)) await settle(world, repository, merge);
    }
  });
}

async function settle(world: World, repository: Repository, merge: AsyncMerge): Promise<void> {
  const issue = findPull(repository, merge.pull);
  const { by, method, sha } = merge;
  try {
    const queued =
      repository.protection.get(issue.pull.baseRef)?.mergeQueue && merge.action !== "direct_merge";
    if (queued || merge.action === "merge_queue") {
      await enqueueWithinTurn(world, repository, issue, { by, method, sha });
      merge.status = "enqueued";
      merge.message = "Pull request was added to the merge queue";
      return;
    }
    if (issue.pull.headSha !== sha) throw new Refusal(409, "Head branch was modified.");
    for (const below of belowInStack(repository, issue)) {
      await mergeWithinTurn(world, repository, below, { by, method }, {});
    }
    merge.mergeSha = (await mergeWithinTurn(world, repository, issue, { by, method }, { sha })).sha;
    merge.status = "merged";
    merge.message = "Pull Request successfully merged";
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    merge.status = "failed";
    merge.message = refusal.message;
  }
}

function belowInStack(repository: Repository, issue: PullIssue): PullIssue[] {
  const stack = stackOf(repository, issue);
  if (!stack) return [];
  return stack.pulls
    .slice(0, stack.pulls.indexOf(issue.number))
    .map((number) => findPull(repository, number))
    .filter(({ pull }) => !pull.merged);
}
