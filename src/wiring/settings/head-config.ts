import { createObjectReader } from "../../adapters/git/objects/object-reader.ts";
import { createGit } from "../../adapters/git/run/git.ts";
import { createRepositoryGit } from "../../adapters/git/run/repository-git.ts";
import { openRepository } from "../../adapters/local/open-repository.ts";
import {
  type ReadRepositoryConfig,
  readRepositoryConfig,
  readRepositoryConfigFile,
} from "../../core/config/repository/read-repository-config.ts";
import { REPOSITORY_CONFIG_PATH } from "../../core/config/repository/repository-config.ts";
import { UserError } from "../../core/errors.ts";
import type { Sha } from "../../core/ids.ts";
import { allAgents, type Roster } from "../../core/roster/roster.ts";
import type { RepositoryGit } from "../../ports/git.ts";

/** Far more than it may have. */
const MAX_BYTES = 1_000_000;

/** `.github/loom.yml` of a commit of one's own repository. */
export async function readConfigAt(
  git: RepositoryGit,
  commit: Sha | null,
  roster: Roster,
): Promise<ReadRepositoryConfig> {
  if (commit === null) return readRepositoryConfig(null);
  const file = await createObjectReader(git).examineFile(commit, REPOSITORY_CONFIG_PATH, MAX_BYTES);
  return readRepositoryConfigFile(file, allAgents(roster));
}

/** That of the last commit; where there is no repository, there is no such file either. */
export async function readHeadConfig(cwd: string, roster: Roster): Promise<ReadRepositoryConfig> {
  const program = createGit({ cwd });
  try {
    const repository = await openRepository(program, cwd);
    const git = createRepositoryGit(program, repository);
    try {
      return await readConfigAt(git, repository.headSha, roster);
    } finally {
      await git.objects.close();
    }
  } catch (error) {
    if (error instanceof UserError) return readRepositoryConfig(null);
    throw error;
  }
}
