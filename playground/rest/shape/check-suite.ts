import type { GitCommit } from "../../model/model-git.ts";
import { pullsAt } from "../../model/pulls/merge-problem.ts";
import type { CheckRun, CheckSuite, Repository } from "../../model/types.ts";
import type { World } from "../../model/world.ts";
import { instant, nodeId, repoApiUrl } from "./addresses.ts";
import { appOrNull } from "./app.ts";
import { pullMinimalShape } from "./pulls/pull-minimal.ts";
import { minimalRepositoryShape } from "./repository.ts";

export async function checkSuiteShape(world: World, repository: Repository, suite: CheckSuite) {
  const url = repoApiUrl(world, repository, `/check-suites/${suite.id}`);
  const runs = repository.checkRuns.filter((run) => run.suite === suite.id);
  const commit = await world.git.commit(repository.gitDir, suite.headSha);
  return {
    ...suiteState(runs),
    id: suite.id,
    node_id: nodeId("CheckSuite", suite.id),
    head_branch: suite.headBranch,
    head_sha: suite.headSha,
    url,
    before: commit?.parents[0] ?? null,
    after: suite.headSha,
    created_at: instant(suite.createdAt),
    updated_at: instant(suite.createdAt),
    app: appOrNull(world, suite.app),
    pull_requests: pullsAt(repository, suite.headSha).map((issue) =>
      pullMinimalShape(world, repository, issue),
    ),
    repository: minimalRepositoryShape(world, repository),
    head_commit: commit && simpleCommitShape(commit),
    latest_check_runs_count: runs.length,
    check_runs_url: `${url}/check-runs`,
  };
}

/** A suite is done when all its runs are; the worst of them names it. */
export function suiteState(runs: readonly CheckRun[]) {
  const status =
    runs.length === 0
      ? "queued"
      : runs.every((run) => run.status === "completed")
        ? "completed"
        : "in_progress";
  const order = [
    "failure",
    "timed_out",
    "cancelled",
    "action_required",
    "stale",
    "success",
    "neutral",
    "skipped",
  ];
  const worst = order.find((conclusion) => runs.some((run) => run.conclusion === conclusion));
  return { status, conclusion: status === "completed" ? (worst ?? null) : null };
}

export function simpleCommitShape(commit: GitCommit) {
  return {
    id: commit.sha,
    tree_id: commit.tree,
    message: commit.message,
    timestamp: instant(commit.author.at),
    author: { name: commit.author.name, email: commit.author.email },
    committer: { name: commit.committer.name, email: commit.committer.email },
  };
}
