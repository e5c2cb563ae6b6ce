import { planBranch, type RunId, type Sha, type StageId } from "../../../core/ids.ts";
import type { RefUpdate } from "../../../ports/remote.ts";
import { assertIds } from "../assert-ids.ts";
import { pullShape, pullsFromBranch } from "../pulls/pull.ts";
import type { Repository } from "../repository.ts";
import type { GitHubForgeParts } from "./parts.ts";

/**
 * Deleting a branch closes every pull request that has it as base, often for good. So a branch goes only when no open one
 * uses it, when nothing of a person's is on it, and when it still stands where it was looked at.
 */
export async function cleanUp(forge: GitHubForgeParts, run: RunId, keep: readonly StageId[]): Promise<void> {
  assertIds(run);
  const { repository, config } = forge;
  if (!config.deleteBranches) return;
  const below = `refs/heads/loom/${run}/`;
  const plan = `refs/heads/${planBranch(run)}`;
  const kept = new Set(keep.flatMap((stage) => [`${below}${stage}`, `${below}${stage}.base`]));
  const listed = await repository.remote.list([below, plan]);
  const refs = [...listed].filter(([ref]) => (ref === plan || ref.startsWith(below)) && !kept.has(ref));
  if (refs.length === 0) return;

  const tip = await forge.targetTip();
  const needed = await branchesOfOpenPulls(forge);
  await repository.remote.fetchRefs(refs.map(([ref]) => ref));
  const unneeded: RefUpdate[] = [];
  for (const [ref, commit] of refs) {
    const branch = branchOf(ref);
    if (needed.has(branch)) continue;
    if (!(await isLooms(forge, { run, branch, commit, target: tip }))) {
      repository.warn(`${branch} holds what Loom did not write; it is left alone.`);
      continue;
    }
    unneeded.push({ ref, to: null, expected: commit });
  }
  for (let at = 0; at < unneeded.length; at += AT_ONCE)
    await remove(repository, unneeded.slice(at, at + AT_ONCE));
}

/** All of them go in an argument list, which has an end. */
const AT_ONCE = 100;

async function remove(repository: Repository, unneeded: readonly RefUpdate[]): Promise<void> {
  const together = unneeded.length > 1 ? await repository.remote.push(unneeded).catch(() => null) : null;
  if (together?.kind === "pushed") return;
  // One by one: a branch that a rule protects, or that somebody has just moved, must not keep the others.
  for (const update of unneeded) {
    const outcome = await repository.remote.push([update]);
    if (outcome.kind === "refused")
      repository.warn(`${branchOf(update.ref)} can't be deleted: ${outcome.reason}`);
  }
}

function branchOf(ref: string): string {
  return ref.slice("refs/heads/".length);
}

async function branchesOfOpenPulls({ repository }: GitHubForgeParts): Promise<Set<string>> {
  const open = await repository.list(
    "GET /repos/{owner}/{repo}/pulls",
    { state: "open" },
    pullShape(repository.place.id),
  );
  return new Set(open.flatMap(({ head, base }) => (head.sameRepository ? [head.ref, base] : [base])));
}

type Branch = { readonly run: RunId; readonly branch: string; readonly commit: Sha; readonly target: Sha };

/** Merged as it stands, or made by Loom as its trailers and its committer say. */
async function isLooms(forge: GitHubForgeParts, { run, branch, commit, target }: Branch): Promise<boolean> {
  const { repository, identity } = forge;
  const { history } = repository.git;
  const note = await history.note(commit);
  const isByLoom = note.committer === identity.email;
  // The branch that joins others carries no trailers; each of its parents is another branch's tip.
  if (isByLoom && (branch.endsWith(".base") || note.runs.includes(run))) return true;
  if (await history.isAncestor(commit, target)) return true;
  const pulls = await pullsFromBranch(repository, branch);
  return pulls.some((pull) => pull.merged && pull.head.sha === commit);
}
