import { findPull } from "../find.ts";
import { Refusal } from "../refusal.ts";
import type { Repository, Stack } from "../types.ts";
import { findStack } from "./add-to-stack.ts";

/** Takes the unmerged ones out, but not those in a merge queue. null: none remained and the stack is gone. */
export function unstack(repository: Repository, number: number): Stack | null {
  const stack = findStack(repository, number);
  const queued = new Set([...repository.mergeQueues.values()].flat().map((entry) => entry.pull));
  const staying = stack.pulls.filter((one) => findPull(repository, one).pull.merged || queued.has(one));
  if (staying.length === stack.pulls.length) {
    throw new Refusal(422, "Validation Failed", [
      {
        resource: "PullRequestStack",
        field: "pull_requests",
        code: "custom",
        message: "No pull request of this stack can be removed",
      },
    ]);
  }
  for (const one of stack.pulls) if (!staying.includes(one)) findPull(repository, one).pull.stack = null;
  stack.pulls = staying;
  if (staying.length > 0) return stack;
  repository.stacks.splice(repository.stacks.indexOf(stack), 1);
  return null;
}
