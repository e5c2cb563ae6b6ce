import { findPull } from "../find.ts";
import { notFound } from "../refusal.ts";
import type { Repository, Stack } from "../types.ts";
import { checkChain } from "./create-stack.ts";

/** Puts pull requests on top, from the current top upward. */
export function addToStack(
  repository: Repository,
  number: number,
  options: { readonly pulls: readonly number[] },
): Stack {
  const stack = findStack(repository, number);
  const top = stack.pulls.at(-1);
  const below = top === undefined ? null : findPull(repository, top);
  for (const issue of checkChain(repository, below, options.pulls)) {
    stack.pulls.push(issue.number);
    issue.pull.stack = stack.number;
  }
  return stack;
}

export function findStack(repository: Repository, number: number): Stack {
  const stack = repository.stacks.find((one) => one.number === number);
  if (!stack || !repository.stacksEnabled) throw notFound();
  return stack;
}
