import { UserError } from "../../../core/errors.ts";
import { type StageId, stageBranch } from "../../../core/ids.ts";
import type { Hub, Observation, StageFacts } from "../../../ports/hub.ts";
import { findBranchTip } from "../git-facts.ts";
import { mergedByPull, mergedStages } from "../merged-stages.ts";
import { getPull, type Pull } from "../pull.ts";
import type { Repository } from "../repository.ts";

const AT_ONCE = 10;

export async function observe(
  repository: Repository,
  spec: Parameters<Hub["observe"]>[0],
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
  const numbers = [spec.planPr, ...spec.stages.map(({ pr }) => pr)].filter((number) => number !== null);
  const pulls = await getPulls(repository, numbers);
  const byTrailer = await mergedStages(repository, { run: spec.run, since: spec.since, tip });
  const stages = new Map<StageId, StageFacts>();
  for (const { stage, pr } of spec.stages) {
    const pull = pr === null ? null : (pulls.get(pr) ?? null);
    stages.set(stage, {
      pull,
      tip: branches.get(`refs/heads/${stageBranch(spec.run, stage)}`) ?? null,
      merged: byTrailer.get(stage) ?? (await mergedByPull(repository, pull, tip)),
    });
  }
  const plan = spec.planPr === null ? null : (pulls.get(spec.planPr) ?? null);
  return { targetTip: tip, plan, stages };
}

async function getPulls(
  repository: Repository,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, Pull | null>> {
  const found = new Map<number, Pull | null>();
  for (let at = 0; at < numbers.length; at += AT_ONCE) {
    const group = numbers.slice(at, at + AT_ONCE);
    const pulls = await Promise.all(group.map((number) => getPull(repository, number)));
    for (const [place, number] of group.entries()) found.set(number, pulls[place] ?? null);
  }
  return found;
}
