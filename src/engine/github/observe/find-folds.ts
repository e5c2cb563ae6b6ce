import { type Sha, type StageId, stageBranch } from "../../../core/ids.ts";
import type { Run } from "../../../core/run/run.ts";
import type { Observation } from "../../../ports/github/pulls.ts";
import type { RepoEngine } from "../host.ts";

/** A stage whose pull request was merged into the branch of another one, instead of the target. */
export type Fold = {
  readonly into: StageId;
  /** The commit by which that branch, and with it this stage, came into the target. */
  readonly merged: Sha | null;
};

export type Folds = {
  readonly byStage: ReadonlyMap<StageId, Fold>;
  /** Stages whose branch stands where such a merge has left it, with the number of what was merged. */
  readonly tips: ReadonlyMap<StageId, number>;
};

/**
 * People may merge a stacked pull request where it stands: then the branch below holds both. That is read from git, so
 * that a branch which was rewritten afterwards, and has lost the merge again, does not count.
 */
export async function findFolds(engine: RepoEngine, run: Run, seen: Observation): Promise<Folds> {
  const byStage = new Map<StageId, Fold>();
  const tips = new Map<StageId, number>();
  const byBranch = new Map([...run.stages.keys()].map((stage) => [stageBranch(run.id, stage), stage]));
  for (const [stage, { pull, merged }] of seen.stages) {
    if (!pull?.merged || pull.mergeCommit === null || merged !== null) continue;
    const into = byBranch.get(pull.base);
    const below = into === undefined ? undefined : seen.stages.get(into);
    if (into === undefined || !below) continue;
    // Once its own pull request is merged, what counts is where the branch stood then: later merges into it went nowhere.
    const tip = below.pull?.merged
      ? below.pull.head.sha
      : (below.merged ?? below.tip ?? below.pull?.head.sha ?? null);
    if (tip === null || !(await holds(engine, run, tip, pull.mergeCommit))) continue;
    byStage.set(stage, { into, merged: below.merged });
    if (below.tip === pull.mergeCommit) tips.set(into, pull.number);
  }
  return { byStage: withAll(byStage), tips };
}

/** What was folded into a stage that was itself folded further down comes in with the lowest. */
function withAll(folds: ReadonlyMap<StageId, Fold>): ReadonlyMap<StageId, Fold> {
  return new Map(
    [...folds].map(([stage, fold]) => {
      let lowest = fold;
      const passed = new Set([stage]);
      for (
        let at: StageId | undefined = fold.into;
        at !== undefined && lowest.merged === null && !passed.has(at);
        at = folds.get(at)?.into
      ) {
        passed.add(at);
        lowest = { into: fold.into, merged: folds.get(at)?.merged ?? null };
      }
      return [stage, lowest];
    }),
  );
}

async function holds(engine: RepoEngine, run: Run, tip: Sha, commit: Sha): Promise<boolean> {
  const missing = await (await engine.forgeFor(run)).fetch([tip, commit]);
  return missing.length === 0 && engine.workspaceFor(run).isAncestor(commit, tip);
}
