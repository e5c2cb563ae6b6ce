import { findPull } from "../../../model/find.ts";
import type { Repository, Stack } from "../../../model/types.ts";
import type { World } from "../../../model/world.ts";
import { instant, instantOrNull, nodeId, repoApiUrl, repoHtmlUrl } from "../addresses.ts";
import { userShape } from "../user.ts";
import { pullMinimalShape } from "./pull-minimal.ts";

/** Lists. */
export function stackMinimalShape(world: World, repository: Repository, stack: Stack) {
  const pulls = stack.pulls.map((number) => findPull(repository, number));
  return {
    ...common(world, repository, stack),
    pull_requests: pulls.map(({ number, state, pull }) => ({
      number,
      state,
      draft: pull.draft,
      merged_at: instantOrNull(pull.mergedAt),
      head: { ref: pull.headRef, sha: pull.headSha },
    })),
  };
}

export function stackShape(world: World, repository: Repository, stack: Stack) {
  const pulls = stack.pulls.map((number) => findPull(repository, number));
  return {
    ...common(world, repository, stack),
    pull_requests: pulls.map((issue) => ({
      ...pullMinimalShape(world, repository, issue),
      node_id: nodeId("PullRequest", issue.pull.id),
      title: issue.title,
      state: issue.state,
      draft: issue.pull.draft,
      merged_at: instantOrNull(issue.pull.mergedAt),
      html_url: repoHtmlUrl(world, repository, `/pull/${issue.number}`),
      user: userShape(world, issue.author),
    })),
  };
}

function common(world: World, repository: Repository, stack: Stack) {
  return {
    id: stack.id,
    number: stack.number,
    node_id: nodeId("PullRequestStack", stack.id),
    url: repoApiUrl(world, repository, `/stacks/${stack.number}`),
    base: { ref: stack.base },
    open: stack.pulls.some((number) => findPull(repository, number).state === "open"),
    created_at: instant(stack.createdAt),
  };
}
