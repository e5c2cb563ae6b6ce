import { GitHubFailure } from "../api/failure.ts";
import { findOrMake } from "../api/find-or-make.ts";
import type { Repository } from "../repository.ts";
import { type Pull, pullsFromBranch, readPull } from "./pull.ts";
import { markedText, type PullText } from "./pull-text.ts";

const ROUTE = "POST /repos/{owner}/{repo}/pulls";
/** GitHub's pages learn of a pushed branch a moment after git does. */
const TRIES = 4;

/** Opens a pull request for a branch that has no open one. null: the base holds all of it already. */
export async function openPull(
  repository: Repository,
  spec: PullText & { readonly branch: string; readonly base: string },
): Promise<Pull | null> {
  const { title, body } = markedText(spec);
  const asked = { title, body, head: spec.branch, base: spec.base, maintainer_can_modify: false };
  const pull = await findOrMake<Pull | "empty">(
    async () => (await pullsFromBranch(repository, spec.branch)).find((one) => one.open) ?? null,
    () => tryOpen(repository, asked),
    repository.pause,
  );
  return pull === "empty" ? null : pull;
}

async function tryOpen(
  repository: Repository,
  asked: Record<string, unknown>,
): Promise<Pull | "empty" | null> {
  for (let round = 1; ; round += 1) {
    try {
      return readPull(repository, await repository.ask(ROUTE, asked), ROUTE);
    } catch (error) {
      if (!(error instanceof GitHubFailure) || error.status !== 422) throw error;
      if (/already exists/i.test(error.detail)) return null;
      if (/no commits between/i.test(error.detail)) return "empty";
      if (round >= TRIES || !/head/i.test(error.detail)) throw error;
      await repository.pause(1000 * round);
    }
  }
}
