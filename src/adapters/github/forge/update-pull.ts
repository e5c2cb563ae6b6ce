import { GitHubFailure } from "../api/failure.ts";
import type { Pull } from "../pulls/pull.ts";
import { type PullText, textChanges } from "../pulls/pull-text.ts";
import { findStack, leaveStack } from "./native-stacks.ts";
import type { GitHubForgeParts } from "./parts.ts";

const ROUTE = "PATCH /repos/{owner}/{repo}/pulls/{pull_number}";

/** Writes only what differs. GitHub does not let the base of a stacked one be changed, so that it leaves its stack first. */
export async function updatePull(
  forge: GitHubForgeParts,
  pull: Pull,
  wanted: Partial<PullText> & { readonly base: string },
): Promise<void> {
  const changes = textChanges(pull, wanted);
  const { ask } = forge.repository;
  const write = (change: Record<string, string>) =>
    ask(ROUTE, { pull_number: pull.number, ...change }, { repeat: true });
  if (wanted.base === pull.base) {
    if (Object.keys(changes).length > 0) await write({ ...changes });
    return;
  }
  const change = { ...changes, base: wanted.base };
  if (pull.stack) await leaveStack(forge, pull.stack.number);
  try {
    await write(change);
  } catch (error) {
    // Somebody may have stacked it since it was read.
    const isRefused = error instanceof GitHubFailure && error.status === 422;
    const stack = isRefused ? await findStack(forge, pull.number) : null;
    if (stack === null) throw error;
    await leaveStack(forge, stack.number);
    await write(change);
  }
}
