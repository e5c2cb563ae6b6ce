import type { PullIssue } from "../find.ts";
import { atLeast, roleOf } from "../people/role.ts";
import { tell } from "../people/subjects.ts";
import { Refusal } from "../refusal.ts";
import type { Login, Repository } from "../types.ts";
import type { World } from "../world.ts";

export function requestReviewers(
  world: World,
  repository: Repository,
  issue: PullIssue,
  options: { readonly by: Login; readonly reviewers: readonly Login[] },
): void {
  for (const login of options.reviewers) {
    if (login === issue.author)
      throw new Refusal(422, "Review cannot be requested from pull request author.");
    const known = login === repository.owner || repository.roles.has(login);
    if (!known || !atLeast(roleOf(world, repository, login), "read")) {
      throw new Refusal(
        422,
        "Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator of this repository.",
      );
    }
  }
  for (const requestedReviewer of options.reviewers) {
    if (issue.pull.requestedReviewers.includes(requestedReviewer)) continue;
    issue.pull.requestedReviewers.push(requestedReviewer);
    const at = { repository, sender: options.by };
    tell(world, "pull_request", "review_requested", at, { issue, requestedReviewer });
  }
}
