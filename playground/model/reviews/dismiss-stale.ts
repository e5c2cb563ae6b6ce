import type { PullIssue } from "../find.ts";
import { tell } from "../people/subjects.ts";
import type { Login, Repository } from "../types.ts";
import type { World } from "../world.ts";

/** Where the base branch asks for it, a push or a new base takes approvals away. */
export function dismissStale(world: World, repository: Repository, issue: PullIssue, by: Login): void {
  if (!repository.protection.get(issue.pull.baseRef)?.dismissStaleReviews) return;
  for (const review of issue.pull.reviews) {
    if (review.state !== "APPROVED") continue;
    review.state = "DISMISSED";
    tell(world, "pull_request_review", "dismissed", { repository, sender: by }, { issue, review });
  }
}
