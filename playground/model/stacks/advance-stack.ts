import { findPull, type PullIssue } from "../find.ts";
import { retarget } from "../pulls/edit-pull.ts";
import type { Login, Repository, Stack } from "../types.ts";
import type { World } from "../world.ts";

/** After a pull request of a stack has merged, the one above it is based on what that one was based on. */
export async function advanceStack(
  world: World,
  repository: Repository,
  merged: PullIssue,
  by: Login,
): Promise<void> {
  const stack = stackOf(repository, merged);
  const above = stack?.pulls[stack.pulls.indexOf(merged.number) + 1];
  if (above === undefined) return;
  const next = findPull(repository, above);
  const baseSha = await world.git.tip(repository.gitDir, merged.pull.baseRef);
  if (baseSha === null || next.state === "closed" || next.pull.baseRef !== merged.pull.headRef) return;
  await retarget(world, repository, next, { by, base: merged.pull.baseRef, baseSha });
}

export function stackOf(repository: Repository, issue: PullIssue): Stack | undefined {
  return repository.stacks.find((stack) => stack.number === issue.pull.stack);
}
