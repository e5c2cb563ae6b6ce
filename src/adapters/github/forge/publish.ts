import { stackBaseBranch, stageBranch } from "../../../core/ids.ts";
import type { PublishOutcome, PublishSpec } from "../../../ports/forge.ts";
import type { RefUpdate } from "../../../ports/remote.ts";
import { assertIds } from "../assert-ids.ts";
import { mergedByPull } from "../pulls/merged-stages.ts";
import { openPull } from "../pulls/open-pull.ts";
import { getPull, type Pull, pullsFromBranch } from "../pulls/pull.ts";
import { refusals } from "../refusals.ts";
import type { Repository } from "../repository.ts";
import { joinStack } from "./native-stacks.ts";
import type { GitHubForgeParts } from "./parts.ts";
import { updatePull } from "./update-pull.ts";

/**
 * First the pull request is looked at, then the branch is pushed, then the pull request is opened or brought up to date. A
 * person who closed it is heard before anything moves; a crash in between leaves a branch that the next try finds.
 */
export async function publish(forge: GitHubForgeParts, spec: PublishSpec): Promise<PublishOutcome> {
  const { repository } = forge;
  assertIds(spec.run, spec.stage);
  const branch = stageBranch(spec.run, spec.stage);
  const found = await findPull(repository, spec.pr, branch);
  // Without a number it was told to offer the stage anew: one that has ended elsewhere than in the target is no answer.
  const isOver =
    spec.pr === null &&
    found?.open === false &&
    (await mergedByPull(repository, found, await forge.targetTip())) === null;
  const before = isOver ? null : found;
  if (before?.merged) {
    const isIn = (await mergedByPull(repository, before, await forge.targetTip())) !== null;
    return isIn
      ? { kind: "published", branch, pr: before.number }
      : refusals.mergedElsewhere(before.number, before.base, forge.target);
  }
  if (before && !before.open) return refusals.closed(before.number, branch);

  const pushed = await pushStage(repository, branch, spec);
  if (pushed.kind !== "pushed") return pushed;
  const base = await baseBranch(forge, spec);
  const text = { title: spec.title, body: spec.body };
  if (before) await updatePull(forge, before, { ...text, base });
  const pull = before ?? (await openPull(repository, { branch, base, ...text }));
  if (pull && spec.base.kind === "stage" && base !== forge.target) await joinStack(forge, pull.number, base);
  return { kind: "published", branch, pr: pull?.number ?? null };
}

export async function findPull(
  repository: Repository,
  number: number | null,
  branch: string,
): Promise<Pull | null> {
  const known = number === null ? null : await getPull(repository, number);
  if (known) return known;
  const [latest] = await pullsFromBranch(repository, branch);
  return latest ?? null;
}

type Pushed = { readonly kind: "pushed" } | Exclude<PublishOutcome, { kind: "published" }>;

async function pushStage(
  { remote }: Repository,
  branch: string,
  { run, stage, commit, previous, base }: PublishSpec,
): Promise<Pushed> {
  const ref = `refs/heads/${branch}`;
  const baseRef = `refs/heads/${stackBaseBranch(run, stage)}`;
  // Where nothing has to be known to choose, the push itself finds out where the branch stands: its lease is the look.
  if (base.kind !== "joined") {
    const outcome = await remote.push([{ ref, to: commit, expected: previous }]);
    if (outcome.kind === "pushed") return { kind: "pushed" };
    if (outcome.kind === "refused") return refusals.pushRefused(branch, outcome.reason);
  }
  for (let round = 0; round < 3; round += 1) {
    const refs = await remote.list([ref, baseRef]);
    const tip = refs.get(ref) ?? null;
    if (tip !== null && tip !== commit && tip !== previous) return { kind: "taken", branch, tip };
    const updates: RefUpdate[] = [];
    const baseTip = refs.get(baseRef) ?? null;
    // Nobody but Loom has a reason to write the branch that joins others; where it stands is no person's work.
    if (base.kind === "joined" && baseTip !== base.commit) {
      updates.push({ ref: baseRef, to: base.commit, expected: baseTip });
    }
    if (tip !== commit) updates.push({ ref, to: commit, expected: tip });
    if (updates.length === 0) return { kind: "pushed" };
    const outcome = await remote.push(updates);
    if (outcome.kind === "pushed") return { kind: "pushed" };
    if (outcome.kind === "refused") return refusals.pushRefused(branch, outcome.reason);
  }
  return refusals.branchRestless(branch);
}

/** Where the branch of the stage below is gone, it has been merged, and the target holds its work. */
async function baseBranch(
  { repository, target }: GitHubForgeParts,
  { run, stage, base }: PublishSpec,
): Promise<string> {
  if (base.kind === "target") return target;
  if (base.kind === "joined") return stackBaseBranch(run, stage);
  const below = stageBranch(run, base.stage);
  return (await repository.remote.list([`refs/heads/${below}`])).has(`refs/heads/${below}`) ? below : target;
}
