import * as z from "zod";
import { GitHubFailure } from "../api/failure.ts";
import { readAnswer } from "../api/read-answer.ts";
import { pullsFromBranch } from "../pulls/pull.ts";
import type { GitHubForgeParts } from "./parts.ts";

/**
 * GitHub's own stacks, for chains without branches: what stands on one open pull request, which nothing else stands on.
 * Everything works without them, so that whatever GitHub says against one is a note to the operator and no more.
 */
const LIST = "GET /repos/{owner}/{repo}/stacks";
const MAKE = "POST /repos/{owner}/{repo}/stacks";
const ADD = "POST /repos/{owner}/{repo}/stacks/{stack_number}/add";
const LEAVE = "POST /repos/{owner}/{repo}/stacks/{stack_number}/unstack";

const STACK = z.object({
  number: z.number(),
  open: z.boolean(),
  pull_requests: z.array(z.object({ number: z.number(), state: z.string() })),
});
export type Stack = z.infer<typeof STACK>;

/** null when it is in none, or the repository has no stacks. */
export async function findStack(forge: GitHubForgeParts, pull: number): Promise<Stack | null> {
  const { notes } = forge.repository;
  if (notes.stacksMissing) return null;
  const reply = await forge.repository.ask(LIST, { pull_request: pull }, { answers: [404] });
  if (reply.status === 404) {
    notes.stacksMissing = true;
    return null;
  }
  const stacks = readAnswer(z.array(STACK), reply, LIST);
  return stacks.find((one) => one.open && one.pull_requests.some(({ number }) => number === pull)) ?? null;
}

/** Puts a pull request on top of the one whose branch is its base. */
export async function joinStack(forge: GitHubForgeParts, pull: number, base: string): Promise<void> {
  const { repository, config } = forge;
  if (config.stack === "chained" || repository.notes.stacksMissing) return;
  const [below] = await pullsFromBranch(repository, base);
  if (!below?.open) return;
  const stack = await findStack(forge, below.number);
  if (repository.notes.stacksMissing || stack?.pull_requests.some(({ number }) => number === pull)) return;
  // A second one on the same base makes a fork, which a stack can't be; it stays an ordinary pull request.
  if (stack && stack.pull_requests.at(-1)?.number !== below.number) return;
  try {
    const reply = stack
      ? await repository.ask(ADD, { stack_number: stack.number, pull_requests: [pull] }, { answers: [404] })
      : await repository.ask(MAKE, { pull_requests: [below.number, pull] }, { answers: [404] });
    if (reply.status === 404) repository.notes.stacksMissing = true;
  } catch (error) {
    // Unsure or refused: the next publication looks again.
    if (!(error instanceof GitHubFailure)) throw error;
    repository.warn(`#${pull} is not part of a stack: ${error.message}`);
  }
}

/** Takes every pull request that is not merged out of the stack; none of them is changed by it. */
export async function leaveStack({ repository }: GitHubForgeParts, stack: number): Promise<void> {
  await repository.ask(LEAVE, { stack_number: stack }, { repeat: true, answers: [404, 422] });
}
