import { tell } from "../people/subjects.ts";
import type { Issue, Login, Repository } from "../types.ts";
import type { World } from "../world.ts";

/** Closes an issue, or a pull request without merging it. Closing twice is nothing. */
export function closeIssue(
  world: World,
  repository: Repository,
  issue: Issue,
  options: { readonly by: Login; readonly reason?: Issue["stateReason"] },
): void {
  if (issue.state === "closed") return;
  const now = world.clock.now();
  issue.state = "closed";
  issue.stateReason = issue.pull ? null : (options.reason ?? "completed");
  issue.closedAt = now;
  issue.updatedAt = now;
  issue.closedBy = options.by;
  tell(
    world,
    issue.pull ? "pull_request" : "issues",
    "closed",
    { repository, sender: options.by },
    { issue },
  );
}
