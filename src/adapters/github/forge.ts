import { UserError } from "../../core/errors.ts";
import { stageBranch } from "../../core/ids.ts";
import type { Forge } from "../../ports/forge.ts";
import type { Identity } from "../../ports/git.ts";
import { assertIds } from "./assert-ids.ts";
import { cleanUp } from "./forge/clean-up.ts";
import { mergeStage } from "./forge/merge.ts";
import type { GitHubForgeConfig, GitHubForgeParts } from "./forge/parts.ts";
import { publish } from "./forge/publish.ts";
import { readiness } from "./forge/readiness.ts";
import { writeRecord } from "./forge/record.ts";
import { findBranchTip } from "./git-facts.ts";
import { mergedByPull, mergedStages } from "./pulls/merged-stages.ts";
import { pullsFromBranch } from "./pulls/pull.ts";
import { openRepository, type RepositoryParts } from "./repository.ts";

export type { GitHubForgeConfig };

export type GitHubForgeOptions = RepositoryParts & {
  /** The branch that the run merges into. */
  readonly target: string;
  readonly config: GitHubForgeConfig;
  /** Who Loom's commits are from; by it, Loom's branches are told from people's. */
  readonly identity: Identity;
};

/** GitHub as the place where a run's work is offered and merged. */
export function createGitHubForge({ target, config, identity, ...parts }: GitHubForgeOptions): Forge {
  const repository = openRepository(parts);
  const forge: GitHubForgeParts = {
    repository,
    target,
    config,
    identity,
    async targetTip() {
      const tip = await findBranchTip(repository, target);
      if (tip !== null) return tip;
      throw new UserError(`The branch \`${target}\` is gone, and the run merges into it.`, {
        next: "Restore the branch, or cancel the run with `/loom cancel`.",
      });
    },
  };
  return {
    targetTip: forge.targetTip,
    publish: (spec) => publish(forge, spec),
    readiness: (spec) => readiness(forge, spec),
    merge: (spec) => mergeStage(forge, spec),
    async findMerged(run, stage, since) {
      assertIds(run, stage);
      const tip = await forge.targetTip();
      const found = (await mergedStages(repository, { run, since, tip })).get(stage);
      if (found !== undefined) return found;
      const pulls = await pullsFromBranch(repository, stageBranch(run, stage));
      return mergedByPull(repository, pulls.find((pull) => pull.merged) ?? null, tip);
    },
    record: (spec) => writeRecord(forge, spec),
    cleanUp: (run, keep) => cleanUp(forge, run, keep),
    fetch: (commits) => repository.remote.fetchCommits(commits),
  };
}
