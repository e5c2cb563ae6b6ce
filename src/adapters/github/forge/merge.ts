import { UserError } from "../../../core/errors.ts";
import { type Sha, stageBranch } from "../../../core/ids.ts";
import { nextWords } from "../../../core/report/texts/next-words.ts";
import type { MergeOutcome, MergeSpec } from "../../../ports/forge.ts";
import { RateLimited } from "../api/failure.ts";
import { assertIds } from "../assert-ids.ts";
import { mergeRules } from "../contents/merge-rules.ts";
import { readBranchTip } from "../git-facts.ts";
import { mergedByPull } from "../pulls/merged-stages.ts";
import { getPull, type Pull } from "../pulls/pull.ts";
import { refusals } from "../refusals.ts";
import { askToMerge } from "./ask-to-merge.ts";
import type { GitHubForgeParts } from "./parts.ts";
import { findPull } from "./publish.ts";
import { updatePull } from "./update-pull.ts";

/** GitHub works out mergeability after it was asked, and tells nobody when it is done: 5, 10, then 15 seconds. */
export const SOON_MS = 5_000;

export async function mergeStage(forge: GitHubForgeParts, spec: MergeSpec): Promise<MergeOutcome> {
  assertIds(spec.run, spec.stage);
  const branch = stageBranch(spec.run, spec.stage);
  return guarded(async () => {
    const pull = spec.pr === null ? null : await getPull(forge.repository, spec.pr);
    if (pull !== null) return mergeRead(forge, pull, spec);
    const found = await findPull(forge.repository, null, branch);
    if (found === null) {
      const tip = await forge.targetTip();
      const isIn = await forge.repository.git.history.isAncestor(spec.commit, tip);
      return isIn ? { kind: "merged", as: spec.commit } : refusals.noPull(branch);
    }
    // A list says nothing about whether it can be merged.
    return mergePull(forge, found.number, spec);
  });
}

/** What GitHub can't or won't do for the App is a person's matter, or one of time; it is no defect. */
export async function guarded(merge: () => Promise<MergeOutcome>): Promise<MergeOutcome> {
  try {
    return await merge();
  } catch (error) {
    if (error instanceof RateLimited) return refusals.limited(error.retryMs);
    if (error instanceof UserError) return refusals.noRight(error.message, nextWords(error.next, "github"));
    throw error;
  }
}

export type PullMerge = Pick<MergeSpec, "commit" | "tree" | "message"> & {
  /** null: it was proved on nothing, and may be merged into whatever the target is by then. */
  readonly onto: Sha | null;
};

/** Everything is read anew before anything is asked for: what the engine knows may be an hour old. */
export async function mergePull(
  forge: GitHubForgeParts,
  number: number,
  spec: PullMerge,
): Promise<MergeOutcome> {
  const pull = await getPull(forge.repository, number);
  return pull === null ? refusals.noPull(`#${number}`) : mergeRead(forge, pull, spec);
}

async function mergeRead(forge: GitHubForgeParts, pull: Pull, spec: PullMerge): Promise<MergeOutcome> {
  const { repository, target } = forge;
  const { number } = pull;
  const { onto } = spec;
  if (spec.tree !== undefined && isAsProved(pull, spec, target) && (await isStillAt(forge, onto)))
    return askToMerge(forge, { pull, rules: await mergeRules(repository, target), ...spec });
  const tip = await forge.targetTip();
  const early = await outcomeBefore(forge, pull, spec, tip);
  if (early) return early;
  const rules = await mergeRules(repository, target);
  // A queue proves on whatever the target is by then; elsewhere nobody has proved it on another target (F18).
  const hasMoved = onto !== null && tip !== onto;
  if (hasMoved && !rules.mergeQueue) return { kind: "moved", tip };
  if (pull.base !== target) {
    // Merged where it stands, it would go into another stage's branch.
    await updatePull(forge, pull, { base: target });
    return refusals.notYetKnown(number, SOON_MS);
  }
  const outcome =
    (await notMergeable(forge, pull, spec, tip)) ?? (await askToMerge(forge, { pull, rules, ...spec }));
  // A queue takes what was proved on an older target; what conflicts with the newer one has to be built anew.
  return outcome.kind === "held" && outcome.conflict && hasMoved ? { kind: "moved", tip } : outcome;
}

/** What the merge makes is known, and that it can be made; nothing of it has to be on this machine. */
function isAsProved(pull: Pull, { commit }: PullMerge, target: string): boolean {
  return pull.open && !pull.draft && pull.base === target && pull.head.sha === commit;
}

async function isStillAt({ repository, target }: GitHubForgeParts, onto: Sha | null): Promise<boolean> {
  return (await readBranchTip(repository, target)) === onto;
}

async function outcomeBefore(
  { repository, target }: GitHubForgeParts,
  pull: Pull,
  { commit }: PullMerge,
  tip: Sha,
): Promise<MergeOutcome | null> {
  const { number, head } = pull;
  if (pull.merged) {
    const as = await mergedByPull(repository, pull, tip);
    return as === null ? refusals.mergedElsewhere(number, pull.base, target) : { kind: "merged", as };
  }
  if (await repository.git.history.isAncestor(commit, tip)) return { kind: "merged", as: commit };
  if (!pull.open) return refusals.closed(number, head.ref);
  if (head.sha !== commit) {
    // Right after a push, a pull request may show where its branch was before.
    const ref = `refs/heads/${head.ref}`;
    const isBehind = (await repository.remote.list([ref])).get(ref) === commit;
    return isBehind ? refusals.notYetKnown(number, SOON_MS) : refusals.headMoved(number);
  }
  return pull.draft ? refusals.draft(number) : null;
}

async function notMergeable(
  { repository }: GitHubForgeParts,
  { number, mergeable }: Pull,
  { commit }: PullMerge,
  tip: Sha,
): Promise<MergeOutcome | null> {
  const { asked } = repository.notes;
  // On top of the target nothing can conflict, whatever GitHub knows by now.
  const isOnTop = await repository.git.history.isAncestor(tip, commit);
  if (mergeable === null && isOnTop) return null;
  if (mergeable === null) {
    const before = asked.get(number) ?? 0;
    asked.set(number, before + 1);
    return refusals.notYetKnown(number, Math.min(before + 1, 3) * SOON_MS);
  }
  asked.delete(number);
  if (mergeable) return null;
  // Then GitHub speaks of an earlier state.
  return isOnTop ? refusals.notYetKnown(number, SOON_MS) : refusals.conflict(number);
}
