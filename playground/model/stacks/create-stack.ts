import { findPull, type PullIssue } from "../find.ts";
import { nextId } from "../next-id.ts";
import { notFound, Refusal } from "../refusal.ts";
import type { Repository, Stack } from "../types.ts";
import type { World } from "../world.ts";

/** Bottom first; each one's base is the head of the one below. */
export function createStack(
  world: World,
  repository: Repository,
  options: { readonly pulls: readonly number[] },
): Stack {
  if (!repository.stacksEnabled) throw notFound();
  if (options.pulls.length < 2) throw cannotStack("A stack needs at least two pull requests");
  if (options.pulls.length > 100) throw cannotStack("A stack has at most 100 pull requests");
  const chain = checkChain(repository, null, options.pulls);
  const bottom = chain[0] as PullIssue;
  const stack: Stack = {
    id: nextId(world),
    number: Math.max(0, ...repository.stacks.map((one) => one.number)) + 1,
    base: bottom.pull.baseRef,
    pulls: chain.map((issue) => issue.number),
    createdAt: world.clock.now(),
  };
  repository.stacks.push(stack);
  for (const issue of chain) issue.pull.stack = stack.number;
  return stack;
}

/** The pull requests, when each stands on the one before it and none is closed or stacked already. */
export function checkChain(
  repository: Repository,
  below: PullIssue | null,
  numbers: readonly number[],
): PullIssue[] {
  let previous = below;
  const chain: PullIssue[] = [];
  for (const number of numbers) {
    const issue = pullOrRefusal(repository, number);
    const { pull } = issue;
    if (issue.state === "closed") throw cannotStack(`Pull request #${number} is not open`);
    if (pull.stack !== null || chain.includes(issue)) {
      throw cannotStack(`Pull request #${number} is already part of a stack`);
    }
    if (pull.headRepo !== repository.id) throw cannotStack(`Pull request #${number} comes from a fork`);
    if (previous && pull.baseRef !== previous.pull.headRef) {
      const message = `Pull request #${number} must have '${previous.pull.headRef}' as its base branch`;
      throw cannotStack(message);
    }
    chain.push(issue);
    previous = issue;
  }
  return chain;
}

function pullOrRefusal(repository: Repository, number: number): PullIssue {
  try {
    return findPull(repository, number);
  } catch {
    throw cannotStack(`Pull request #${number} was not found in this repository`);
  }
}

function cannotStack(message: string): Refusal {
  return new Refusal(422, "Validation Failed", [
    { resource: "PullRequestStack", field: "pull_requests", code: "custom", message },
  ]);
}
