import type { PullIssue } from "../find.ts";
import { closeByKeywords } from "../issues/close-by-keywords.ts";
import { tell } from "../people/subjects.ts";
import type { Repository } from "../types.ts";
import type { World } from "../world.ts";

/** Sets the merged state and announces it. */
export function markMerged(
  world: World,
  repository: Repository,
  issue: PullIssue,
  done: { readonly by: string; readonly sha: string },
): void {
  const now = world.clock.now();
  const { pull } = issue;
  issue.state = "closed";
  issue.closedAt = now;
  issue.closedBy = done.by;
  issue.updatedAt = now;
  pull.merged = true;
  pull.mergedAt = now;
  pull.mergedBy = done.by;
  pull.mergeCommitSha = done.sha;
  tell(world, "pull_request", "closed", { repository, sender: done.by }, { issue });
  if (pull.baseRef === repository.defaultBranch) closeByKeywords(world, repository, issue.body, done.by);
}
