import { pullsAt } from "../../model/pulls/merge-problem.ts";
import type { CheckRun, Repository } from "../../model/types.ts";
import type { World } from "../../model/world.ts";
import { instant, instantOrNull, nodeId, repoApiUrl, repoHtmlUrl } from "./addresses.ts";
import { appOrNull } from "./app.ts";
import { pullMinimalShape } from "./pulls/pull-minimal.ts";

export function checkRunShape(world: World, repository: Repository, run: CheckRun) {
  const url = repoApiUrl(world, repository, `/check-runs/${run.id}`);
  const page = repoHtmlUrl(world, repository, `/runs/${run.id}`);
  return {
    id: run.id,
    node_id: nodeId("CheckRun", run.id),
    name: run.name,
    head_sha: run.headSha,
    external_id: run.externalId,
    url,
    html_url: page,
    details_url: run.detailsUrl ?? page,
    status: run.status,
    conclusion: run.conclusion,
    started_at: instant(run.startedAt),
    completed_at: instantOrNull(run.completedAt),
    output: {
      title: run.title,
      summary: run.summary,
      text: run.text,
      annotations_count: run.annotations.length,
      annotations_url: `${url}/annotations`,
    },
    check_suite: { id: run.suite },
    app: appOrNull(world, run.app),
    pull_requests: pullsAt(repository, run.headSha).map((issue) =>
      pullMinimalShape(world, repository, issue),
    ),
  };
}
