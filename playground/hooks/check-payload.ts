import type { Subjects } from "../model/people/subjects.ts";
import { pullsAt } from "../model/pulls/merge-problem.ts";
import type { CheckRun, CheckSuite, Repository } from "../model/types.ts";
import type { World } from "../model/world.ts";
import { instant, nodeId, repoApiUrl } from "../rest/shape/addresses.ts";
import { checkRunShape } from "../rest/shape/check-run.ts";
import { simpleCommitShape, suiteState } from "../rest/shape/check-suite.ts";
import { pullMinimalShape } from "../rest/shape/pulls/pull-minimal.ts";
import { appPart } from "./payload-parts.ts";

export function checkRunPayload(
  world: World,
  repository: Repository,
  action: string | null,
  { checkRun, requestedAction }: Subjects["check_run"],
) {
  const suite = repository.checkSuites.find((one) => one.id === checkRun.suite);
  if (!suite) throw new Error(`failed to find the suite of check run ${checkRun.id}`);
  const part = suitePart(world, repository, suite);
  // The schema knows a re-run only in a suite that is done; runs beside this one may still go on.
  const done = { status: "completed", conclusion: part.conclusion ?? conclusionOf(checkRun.conclusion) };
  return {
    check_run: {
      ...checkRunShape(world, repository, checkRun),
      app: appPart(world, checkRun.app),
      check_suite: action === "rerequested" ? { ...part, ...done } : part,
    },
    ...(requestedAction !== undefined && { requested_action: { ...requestedAction } }),
  };
}

export async function checkSuitePayload(
  world: World,
  repository: Repository,
  { checkSuite }: Subjects["check_suite"],
) {
  const part = suitePart(world, repository, checkSuite);
  const runs = repository.checkRuns.filter((run) => run.suite === checkSuite.id).length;
  const commit = await world.git.commit(repository.gitDir, checkSuite.headSha);
  if (commit === null) throw new Error(`failed to find the commit ${checkSuite.headSha} of a check suite`);
  return {
    check_suite: {
      ...part,
      before: commit.parents[0] ?? null,
      latest_check_runs_count: runs,
      check_runs_url: `${part.url}/check-runs`,
      head_commit: simpleCommitShape(commit),
    },
  };
}

function suitePart(world: World, repository: Repository, suite: CheckSuite) {
  const runs = repository.checkRuns.filter((run) => run.suite === suite.id);
  const { status, conclusion } = suiteState(runs);
  return {
    id: suite.id,
    node_id: nodeId("CheckSuite", suite.id),
    head_branch: suite.headBranch,
    head_sha: suite.headSha,
    status,
    conclusion: conclusionOf(conclusion),
    url: repoApiUrl(world, repository, `/check-suites/${suite.id}`),
    before: null as string | null,
    after: suite.headSha,
    pull_requests: pullsAt(repository, suite.headSha).map((issue) =>
      pullMinimalShape(world, repository, issue),
    ),
    app: appPart(world, suite.app),
    created_at: instant(suite.createdAt),
    updated_at: instant(suite.createdAt),
  };
}

/** A suite is never "skipped", only its runs are. */
function conclusionOf(conclusion: CheckRun["conclusion"] | string | null): string | null {
  return conclusion === "skipped" ? "neutral" : conclusion;
}
