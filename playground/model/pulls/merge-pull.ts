import type { PullIssue } from "../find.ts";
import { inTurn } from "../in-turn.ts";
import type { Actor } from "../people/actor.ts";
import { personOf } from "../people/person-of.ts";
import { Refusal } from "../refusal.ts";
import { advanceStack } from "../stacks/advance-stack.ts";
import type { MergeMethod, Repository } from "../types.ts";
import type { World } from "../world.ts";
import { markMerged } from "./mark-merged.ts";
import { mergeMessage } from "./merge-message.ts";
import { type MergeWish, mergeProblem } from "./merge-problem.ts";
import { retargetChildren } from "./retarget-children.ts";
import { settlePush } from "./settle-push.ts";

export type MergeOptions = Actor & {
  readonly method?: MergeMethod;
  readonly sha?: string | undefined;
  readonly title?: string | undefined;
  readonly message?: string | undefined;
};

/** Merges now or refuses with GitHub's status and words. Returns the commit that stands on the base branch. */
export async function mergePull(
  world: World,
  repository: Repository,
  issue: PullIssue,
  options: MergeOptions,
): Promise<{ readonly sha: string }> {
  return inTurn(repository, async () => {
    if (issue.pull.stack !== null) {
      throw new Refusal(405, "Pull requests in a stack must be merged asynchronously.");
    }
    return mergeWithinTurn(world, repository, issue, options, options);
  });
}

/** For callers that hold the repository's turn already: the queue and asynchronous merges. */
export async function mergeWithinTurn(
  world: World,
  repository: Repository,
  issue: PullIssue,
  options: MergeOptions,
  wish: Omit<MergeWish, "method">,
): Promise<{ readonly sha: string }> {
  const { git } = world;
  const { pull } = issue;
  const method = options.method ?? "merge";
  const problem = await mergeProblem(world, repository, issue, { ...wish, method });
  if (problem) throw problem;
  const base = await git.tip(repository.gitDir, pull.baseRef);
  if (base === null) throw new Refusal(405, "Pull Request is not mergeable");
  const message = await mergeMessage(world, repository, issue, { ...options, method, base });
  const author = personOf(world, options.by);
  const made = await git.merge(repository.gitDir, { method, base, head: pull.headSha, message, author });
  if (made.kind === "conflict") throw new Refusal(405, "Pull Request is not mergeable");
  const moved = await git.updateRef(repository.gitDir, `refs/heads/${pull.baseRef}`, made.sha, base);
  if (!moved) throw new Refusal(405, "Base branch was modified. Review and try the merge again.");
  await finishMerge(world, repository, issue, { ...options, before: base, sha: made.sha });
  return { sha: made.sha };
}

/** The commit is on the base branch: say so, tell everyone, tidy up. */
export async function finishMerge(
  world: World,
  repository: Repository,
  issue: PullIssue,
  done: Actor & { readonly before: string; readonly sha: string },
): Promise<void> {
  const { pull } = issue;
  markMerged(world, repository, issue, done);
  const update = { ref: `refs/heads/${pull.baseRef}`, before: done.before, after: done.sha };
  await settlePush(world, repository, [update], { by: done.by });
  await advanceStack(world, repository, issue, done.by);
  if (!repository.deleteBranchOnMerge || pull.headRepo !== repository.id) return;
  await retargetChildren(world, repository, { by: done.by, from: pull.headRef, to: pull.baseRef });
  const tip = await world.git.tip(repository.gitDir, pull.headRef);
  if (tip === null || tip !== pull.headSha || pull.headRef === repository.defaultBranch) return;
  await world.git.updateRef(repository.gitDir, `refs/heads/${pull.headRef}`, null, tip);
  await settlePush(world, repository, [{ ref: `refs/heads/${pull.headRef}`, before: tip, after: null }], {
    by: done.by,
  });
}
