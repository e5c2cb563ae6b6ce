import { UserError } from "../../../core/errors.ts";
import type { Sha } from "../../../core/ids.ts";
import type { ChangeFacts } from "../../../ports/github/pulls.ts";
import { fetchCommits } from "../contents/fetch-commits.ts";
import { findBranchTip } from "../git-facts.ts";
import { getPull, type Pull } from "../pulls/pull.ts";
import type { Repository } from "../repository.ts";

/**
 * The head is the one that the API names, for that is what a review is held against; the base repository has it also
 * when it comes from a fork. Asked for by name: a list of refs would hold one for every pull request there ever was.
 */
export async function fetchChange(repository: Repository, number: number): Promise<ChangeFacts | null> {
  const pull = await getPull(repository, number);
  if (pull === null) return null;
  const head = pull.head.sha;
  await fetchCommits(repository, [head]);
  await repository.remote.fetchRefAt(`refs/pull/${number}/head`, head);
  return {
    head,
    from: await branchedOff(repository, pull),
    base: pull.base,
    title: pull.title,
    body: pull.body,
    author: pull.author,
    open: pull.open,
  };
}

async function branchedOff(repository: Repository, pull: Pull): Promise<Sha> {
  const base = await baseOf(repository, pull);
  // Without a history in common, all that differs is the change.
  return (await repository.workspace.mergeBase(base, pull.head.sha)) ?? base;
}

/**
 * After the merge the branch may contain the head itself, and the change would be empty: what stood before it counts. The
 * head is never its own base: whoever reads the change takes the agent's settings from there (T8).
 */
async function baseOf(repository: Repository, pull: Pull): Promise<Sha> {
  const tip = pull.merged ? null : await findBranchTip(repository, pull.base);
  const base = tip ?? pull.baseTip;
  if (base === null)
    throw new UserError(
      `The branch that #${pull.number} is for is gone, so that nobody can tell what it changes.`,
      {
        next: "Change its base to a branch that is there, and ask again.",
      },
    );
  if (tip === null) await fetchCommits(repository, [base]);
  return base;
}
