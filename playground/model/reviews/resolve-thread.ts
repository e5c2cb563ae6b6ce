import type { PullIssue } from "../find.ts";
import { atLeast, roleOf } from "../people/role.ts";
import { Refusal } from "../refusal.ts";
import type { Login, Repository, ReviewThread } from "../types.ts";
import type { World } from "../world.ts";

/** Settles a conversation, or with `resolved: false` opens it again. One that is as wished stays as it is. */
export function resolveThread(
  thread: ReviewThread,
  options: { readonly by: Login; readonly resolved?: boolean },
): void {
  if (options.resolved === false) thread.resolvedBy = null;
  else thread.resolvedBy ??= options.by;
}

/** People settle what stands on their own pull request, and those who may push settle everything. */
export function mustMayResolve(world: World, repository: Repository, issue: PullIssue, by: Login): void {
  if (issue.author === by || atLeast(roleOf(world, repository, by), "write")) return;
  throw new Refusal(403, `${by} does not have the correct permissions to execute \`ResolveReviewThread\``);
}
