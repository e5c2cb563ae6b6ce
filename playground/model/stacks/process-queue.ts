import { findPull } from "../find.ts";
import { inTurn } from "../in-turn.ts";
import { checkState } from "../pulls/merge-problem.ts";
import { finishMerge } from "../pulls/merge-pull.ts";
import type { QueueEntry, Repository } from "../types.ts";
import type { World } from "../world.ts";
import { queueOf } from "./enqueue.ts";
import { destroyGroup, ejectFromQueue, rebuildGroups } from "./leave-queue.ts";

/**
 * Merges from the front while required checks are green, throws out what is red, stops at what is still running.
 * Returns the numbers of the pull requests it merged.
 */
export function processQueue(world: World, repository: Repository, branch: string): Promise<number[]> {
  return inTurn(repository, async () => {
    const merged: number[] = [];
    for (;;) {
      await rebuildGroups(world, repository, branch, 0);
      const first = queueOf(repository, branch)[0];
      if (!first) return merged;
      first.state = groupState(repository, branch, first);
      if (first.state === "AWAITING_CHECKS") return merged;
      const issue = findPull(repository, first.pull);
      if (first.state === "QUEUED") {
        await ejectFromQueue(world, repository, issue, { by: first.by, reason: "CI_FAILURE" });
        continue;
      }
      const ref = `refs/heads/${branch}`;
      // Somebody pushed in this instant: the next round makes the groups anew.
      if (!(await world.git.updateRef(repository.gitDir, ref, first.headSha, first.baseSha))) continue;
      queueOf(repository, branch).shift();
      const { by, headSha: sha, baseSha: before } = first;
      await finishMerge(world, repository, issue, { by, sha, before });
      await destroyGroup(world, repository, { entry: first, baseRef: branch, by, reason: "merged" });
      merged.push(first.pull);
    }
  });
}

/** QUEUED here means: it has to go back, a required check failed. */
function groupState(repository: Repository, branch: string, entry: QueueEntry): QueueEntry["state"] {
  const required = repository.protection.get(branch)?.requiredChecks ?? [];
  const states = required.map((name) => checkState(repository, entry.headSha, name));
  if (states.includes("failing")) return "QUEUED";
  return states.every((state) => state === "successful") ? "MERGEABLE" : "AWAITING_CHECKS";
}
