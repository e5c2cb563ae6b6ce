import { UserError } from "../../../core/errors.ts";
import type { Sha } from "../../../core/ids.ts";
import type { Repository } from "../repository.ts";

export async function fetchCommits(repository: Repository, commits: readonly Sha[]): Promise<void> {
  const [missing] = await repository.remote.fetchCommits(commits);
  if (missing === undefined) return;
  throw new UserError(`The commit \`${missing.slice(0, 12)}\` is not on GitHub any more.`, {
    next: "Push it again, or ask again for what is there now.",
  });
}
