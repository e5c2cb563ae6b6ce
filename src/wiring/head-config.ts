import { createGit } from "../adapters/git/git.ts";
import { createObjectReader } from "../adapters/git/object-reader.ts";
import { createRepositoryGit } from "../adapters/git/repository-git.ts";
import { isRegularFile, type TreeListing } from "../adapters/git/tree-listing.ts";
import { openRepository } from "../adapters/local/open-repository.ts";
import {
  type ReadRepositoryConfig,
  readRepositoryConfig,
  refuseRepositoryConfig,
} from "../core/config/read-repository-config.ts";
import { REPOSITORY_CONFIG_PATH } from "../core/config/repository-config.ts";
import { UserError } from "../core/errors.ts";
import type { Sha } from "../core/ids.ts";
import { allAgents, type Roster } from "../core/roster/roster.ts";
import type { RepositoryGit } from "../ports/git.ts";

/** Far more than it may have. */
const MAX_BYTES = 1_000_000;

/** `.github/loom.yml` of a commit of one's own repository. */
export async function readConfigAt(
  git: RepositoryGit,
  commit: Sha | null,
  roster: Roster,
): Promise<ReadRepositoryConfig> {
  const files = createObjectReader(git);
  const text = commit === null ? null : await files.readFile(commit, REPOSITORY_CONFIG_PATH, MAX_BYTES);
  const unread = commit === null || text !== null ? null : whyUnread(await files.listing(commit));
  return unread === null ? readRepositoryConfig(text, allAgents(roster)) : refuseRepositoryConfig(unread);
}

/** null: there is none. */
function whyUnread(listing: TreeListing): "too-large" | "not-plain" | null {
  const entry = listing.get(REPOSITORY_CONFIG_PATH);
  if (entry) return isRegularFile(entry.mode) ? "too-large" : "not-plain";
  return [...listing.keys()].some((path) => path.startsWith(`${REPOSITORY_CONFIG_PATH}/`))
    ? "not-plain"
    : null;
}

/** That of the last commit; where there is no repository, there is no such file either. */
export async function readHeadConfig(cwd: string, roster: Roster): Promise<ReadRepositoryConfig> {
  const program = createGit({ cwd });
  try {
    const repository = await openRepository(program, cwd);
    return await readConfigAt(createRepositoryGit(program, repository), repository.headSha, roster);
  } catch (error) {
    if (error instanceof UserError) return readRepositoryConfig(null);
    throw error;
  }
}
