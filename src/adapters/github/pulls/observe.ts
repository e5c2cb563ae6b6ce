import { UserError } from "../../../core/errors.ts";
import { type Sha, type StageId, stageBranch } from "../../../core/ids.ts";
import type { Observation, Pulls, StageAsked, StageFacts } from "../../../ports/github/pulls.ts";
import { findBranchTip } from "../git-facts.ts";
import type { Repository } from "../repository.ts";
import { mergedByPull, mergedStages } from "./merged-stages.ts";
import { getPull, newestOpenPulls, type Pull } from "./pull.ts";

const AT_ONCE = 10;

export async function observe(
  repository: Repository,
  spec: Parameters<Pulls["observe"]>[0],
): Promise<Observation> {
  const [tip, branches] = await Promise.all([
    findBranchTip(repository, spec.target),
    repository.remote.list([`refs/heads/loom/${spec.run}/`]),
  ]);
  if (tip === null) {
    throw new UserError(`The branch \`${spec.target}\` is gone, and the run merges into it.`, {
      next: "Restore the branch, or cancel the run with `/loom cancel`.",
    });
  }
  const pulls = new Map<number, Pull | null>();
  const unsettled = spec.stages.filter(({ settled }) => !settled);
  const tipOf = (stage: StageId): Sha | null =>
    branches.get(`refs/heads/${stageBranch(spec.run, stage)}`) ?? null;
  await readOpenPulls(repository, unsettled, tipOf, pulls);
  await readPulls(repository, [spec.planPr, ...unsettled.map(({ pr }) => pr)], pulls);
  const byTrailer = await mergedStages(repository, { run: spec.run, since: spec.since, tip });
  const stages = new Map<StageId, StageFacts>();
  const note = async ({ stage, pr }: StageAsked): Promise<void> => {
    const pull = pr === null ? null : (pulls.get(pr) ?? null);
    stages.set(stage, {
      pull,
      tip: tipOf(stage),
      merged: byTrailer.get(stage) ?? (await mergedByPull(repository, pull, tip)),
    });
  };
  for (const stage of spec.stages) await note(stage);

  const settled = new Set(spec.stages.filter((stage) => stage.settled));
  for (;;) {
    const entered = new Set([...stages.values()].flatMap(({ pull }) => (pull?.merged ? [pull.base] : [])));
    const below = [...settled].filter(({ stage }) => entered.has(stageBranch(spec.run, stage)));
    if (below.length === 0) break;
    await readPulls(
      repository,
      below.map(({ pr }) => pr),
      pulls,
    );
    for (const stage of below) {
      settled.delete(stage);
      await note(stage);
    }
  }
  return { targetTip: tip, plan: spec.planPr === null ? null : (pulls.get(spec.planPr) ?? null), stages };
}

/** With more than these, one list costs less. What is not in it has ended, or is old, and is asked for by itself. */
const FEW = 2;

/**
 * GitHub's lists may be older than its answers about one pull request. So the list counts for a pull request that git says the
 * same of: one whose branch is gone or stands elsewhere may have been merged by now, and is asked for by itself.
 */
async function readOpenPulls(
  repository: Repository,
  asked: readonly StageAsked[],
  tipOf: (stage: StageId) => Sha | null,
  into: Map<number, Pull | null>,
): Promise<void> {
  const wanted = new Map<number, Sha | null>();
  for (const { stage, pr, mergeable } of asked) if (pr !== null && !mergeable) wanted.set(pr, tipOf(stage));
  if (wanted.size <= FEW) return;
  for (const pull of await newestOpenPulls(repository))
    if (wanted.get(pull.number) === pull.head.sha) into.set(pull.number, pull);
}

async function readPulls(
  repository: Repository,
  asked: readonly (number | null)[],
  into: Map<number, Pull | null>,
): Promise<void> {
  const numbers = asked.filter((number) => number !== null).filter((number) => !into.has(number));
  for (let at = 0; at < numbers.length; at += AT_ONCE) {
    const group = numbers.slice(at, at + AT_ONCE);
    const pulls = await Promise.all(group.map((number) => getPull(repository, number)));
    for (const [place, number] of group.entries()) into.set(number, pulls[place] ?? null);
  }
}
