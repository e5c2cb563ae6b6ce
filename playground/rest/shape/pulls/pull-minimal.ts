import { headRepository, type PullIssue } from "../../../model/find.ts";
import type { Repository } from "../../../model/types.ts";
import type { World } from "../../../model/world.ts";
import { repoApiUrl } from "../addresses.ts";

/** How check runs and suites name the pull requests of their commit. */
export function pullMinimalShape(world: World, repository: Repository, issue: PullIssue) {
  const { pull } = issue;
  const from = headRepository(world, issue) ?? repository;
  const place = (one: Repository) => ({ id: one.id, url: repoApiUrl(world, one), name: one.name });
  return {
    id: pull.id,
    number: issue.number,
    url: repoApiUrl(world, repository, `/pulls/${issue.number}`),
    head: { ref: pull.headRef, sha: pull.headSha, repo: place(from) },
    base: { ref: pull.baseRef, sha: pull.baseSha, repo: place(repository) },
  };
}
