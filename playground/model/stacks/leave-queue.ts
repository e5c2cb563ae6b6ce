import { findPull, type PullIssue } from "../find.ts";
import { inTurn } from "../in-turn.ts";
import { tell } from "../people/subjects.ts";
import type { Login, QueueEntry, Repository } from "../types.ts";
import type { World } from "../world.ts";
import { buildGroup, queueOf } from "./enqueue.ts";

export type Leaving = { readonly by: Login; readonly reason?: string };

/** Takes a pull request out of its queue. Inside `world.silently` it leaves as it sometimes does: nobody is told. */
export function leaveQueue(
  world: World,
  repository: Repository,
  issue: PullIssue,
  leaving: Leaving,
): Promise<boolean> {
  return inTurn(repository, () => ejectFromQueue(world, repository, issue, leaving));
}

/** The same for callers that hold the repository's turn. False when it was in no queue. */
export async function ejectFromQueue(
  world: World,
  repository: Repository,
  issue: PullIssue,
  leaving: Leaving,
): Promise<boolean> {
  const baseRef = issue.pull.baseRef;
  const queue = queueOf(repository, baseRef);
  const at = queue.findIndex((entry) => entry.pull === issue.number);
  const entry = queue[at];
  if (!entry) return false;
  queue.splice(at, 1);
  await destroyGroup(world, repository, { entry, baseRef, by: leaving.by, reason: "dequeued" });
  const reason = leaving.reason ?? "MANUAL";
  tell(world, "pull_request", "dequeued", { repository, sender: leaving.by }, { issue, reason });
  await rebuildGroups(world, repository, baseRef, at);
  return true;
}

export async function destroyGroup(
  world: World,
  repository: Repository,
  group: {
    readonly entry: QueueEntry;
    readonly baseRef: string;
    readonly by: Login;
    readonly reason: "merged" | "invalidated" | "dequeued";
  },
): Promise<void> {
  const { entry, baseRef, reason } = group;
  await world.git.updateRef(repository.gitDir, entry.headRef, null);
  tell(world, "merge_group", "destroyed", { repository, sender: group.by }, { entry, baseRef, reason });
}

/** Groups stand on the ones before them, so from a change on all are made anew; what conflicts now falls out. */
export async function rebuildGroups(
  world: World,
  repository: Repository,
  baseRef: string,
  from: number,
): Promise<void> {
  const queue = queueOf(repository, baseRef);
  const later = queue.splice(from);
  for (const old of later) {
    const base = queue.at(-1)?.headSha ?? (await world.git.tip(repository.gitDir, baseRef));
    if (base === old.baseSha) {
      queue.push(old);
      continue;
    }
    const issue = findPull(repository, old.pull);
    const { method, by } = old;
    await destroyGroup(world, repository, { entry: old, baseRef, by, reason: "invalidated" });
    const entry = base === null ? null : await buildGroup(world, repository, issue, { base, method, by });
    const at = { repository, sender: by };
    if (!entry) {
      tell(world, "pull_request", "dequeued", at, { issue, reason: "MERGE_CONFLICT" });
      continue;
    }
    queue.push(entry);
    tell(world, "merge_group", "checks_requested", at, { entry, baseRef });
  }
}
