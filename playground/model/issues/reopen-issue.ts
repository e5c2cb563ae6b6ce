import { tell } from "../people/subjects.ts";
import type { Issue, Login, Repository } from "../types.ts";
import type { World } from "../world.ts";

/** For pull requests use `editPull`: it looks whether their branches are still there. */
export function reopenIssue(
  world: World,
  repository: Repository,
  issue: Issue,
  options: { readonly by: Login },
): void {
  if (issue.state === "open") return;
  issue.state = "open";
  issue.stateReason = issue.pull ? null : "reopened";
  issue.closedAt = null;
  issue.closedBy = null;
  issue.updatedAt = world.clock.now();
  tell(
    world,
    issue.pull ? "pull_request" : "issues",
    "reopened",
    { repository, sender: options.by },
    { issue },
  );
}
