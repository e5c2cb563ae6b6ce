import type { RunId, Sha, StageId } from "../../../core/ids.ts";
import type { PullFacts } from "../../../ports/github/pulls.ts";
import type { Repository } from "../repository.ts";

/**
 * Which stages are in the target, by the trailers of the commits that came after `since`. The target's own line goes
 * first: where a merge commit brought a stage in, that commit is it, and not the one that it merged.
 */
export async function mergedStages(
  repository: Repository,
  { run, since, tip }: { run: RunId; since: Sha; tip: Sha },
): Promise<ReadonlyMap<StageId, Sha>> {
  const merged = new Map<StageId, Sha>();
  if (since === tip) return merged;
  // After a forced push the target does not hold it any more, and git has to have it still.
  await repository.remote.fetchCommits([since]);
  for (const how of ["first-parent", "all"] as const) {
    for (const { commit, runs, stages } of await repository.git.history.notes(since, tip, how)) {
      if (!runs.includes(run)) continue;
      for (const stage of stages) if (!merged.has(stage)) merged.set(stage, commit);
    }
  }
  return merged;
}

/** Where people or a queue wrote a message of their own, the pull request names the commit, and git has to confirm it. */
export async function mergedByPull(
  repository: Repository,
  pull: PullFacts | null,
  tip: Sha,
): Promise<Sha | null> {
  const commit = pull?.mergeCommit ?? null;
  return commit !== null && (await repository.git.history.isAncestor(commit, tip)) ? commit : null;
}
