import { InternalError, UserError } from "../../../core/errors.ts";
import { planBranch, type Sha } from "../../../core/ids.ts";
import type { PlanOffer, PlanOffered } from "../../../ports/github/plan-branch.ts";
import { assertFetched, blobAt } from "../git-facts.ts";
import { editPull } from "../pulls/edit-pull.ts";
import { openPull } from "../pulls/open-pull.ts";
import { type Pull, pullsFromBranch } from "../pulls/pull.ts";
import type { Repository } from "../repository.ts";

/**
 * A commit is made anew on each try and gets another name each time, so that an earlier offer is recognised by what it
 * holds: the same files, the same message, on the same base.
 */
export async function offerPlan(repository: Repository, offer: PlanOffer): Promise<PlanOffered> {
  const branch = planBranch(offer.run);
  const [latest] = await pullsFromBranch(repository, branch);
  // Closed by a person, who took the branch away with it perhaps: nothing is made again (F20).
  if (latest && !latest.open && !latest.merged) return { kind: "closed", pr: latest.number };

  const placed = latest?.merged ? latest.head.sha : await placeBranch(repository, branch, offer);
  if (typeof placed !== "string") return { kind: "taken", branch, tip: placed.taken };
  await assertFetched(repository, placed);
  const blob = await blobAt(repository, placed, offer.planPath);
  if (blob === null) throw new InternalError(`the plan's commit does not hold ${offer.planPath}`);
  const offered = ({ number: pr, createdAt: since }: Pull): PlanOffered => ({
    ...{ kind: "offered", pr, head: placed, blob, since },
  });

  if (latest) {
    if (latest.open) await editPull(repository, latest.number, { title: offer.title, body: offer.body });
    return offered(latest);
  }
  const pull = await openPull(repository, {
    branch,
    base: offer.target,
    title: offer.title,
    body: offer.body,
  });
  if (pull === null) throw new InternalError("a plan that the target holds already was offered");
  return offered(pull);
}

async function placeBranch(
  repository: Repository,
  branch: string,
  offer: PlanOffer,
): Promise<Sha | { taken: Sha }> {
  const ref = `refs/heads/${branch}`;
  let commit: Sha | null = null;
  for (let round = 0; round < 3; round += 1) {
    const [tip] = (await repository.remote.fetchRefs([ref])).values();
    if (tip !== undefined) {
      return tip === commit || (await isSameOffer(repository, tip, offer)) ? tip : { taken: tip };
    }
    await assertFetched(repository, offer.base);
    commit ??= await repository.workspace.commitFiles({
      base: offer.base,
      files: offer.files,
      message: offer.message,
    });
    const pushed = await repository.remote.push([{ ref, to: commit, expected: null }]);
    if (pushed.kind === "pushed") return commit;
    if (pushed.kind === "refused") {
      throw new UserError(`GitHub refused the branch \`${branch}\`: ${pushed.reason}`, {
        next: "Let the App create branches that start with `loom/` in the repository's rules.",
      });
    }
  }
  throw new Error(`failed to push ${branch}: it appears and vanishes`);
}

async function isSameOffer(repository: Repository, tip: Sha, offer: PlanOffer): Promise<boolean> {
  const note = await repository.git.history.note(tip);
  if (note.parents.join() !== offer.base || note.message.trim() !== offer.message.trim()) return false;
  const changed = await repository.workspace.changedFiles(offer.base, tip);
  if (changed.some((path) => !Object.hasOwn(offer.files, path))) return false;
  for (const [path, text] of Object.entries(offer.files)) {
    const there = await repository.workspace.readFile(tip, path, Buffer.byteLength(text) + 1);
    if (there !== text) return false;
  }
  return true;
}
