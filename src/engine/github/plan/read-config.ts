import {
  type ReadRepositoryConfig,
  readRepositoryConfigFile,
} from "../../../core/config/repository/read-repository-config.ts";
import { REPOSITORY_CONFIG_PATH } from "../../../core/config/repository/repository-config.ts";
import type { Sha } from "../../../core/ids.ts";
import { allAgents } from "../../../core/roster/roster.ts";
import type { Contents } from "../../../ports/github/contents.ts";
import type { RepoEngine } from "../host.ts";

const MAX_BYTES = 65_536;

/** Commits don't change, so what one says has to be read once. */
const known = new WeakMap<Contents, { readonly tip: Sha; readonly reading: ReadRepositoryConfig }>();

/** From the default branch only: what a pull request says about itself does not count. */
export async function readConfig({
  contents,
  roster,
}: Pick<RepoEngine, "contents" | "roster">): Promise<ReadRepositoryConfig> {
  const { tip } = await contents.defaultBranch();
  const before = known.get(contents);
  if (before?.tip === tip) return before.reading;
  const file = await contents.examineFile(tip, REPOSITORY_CONFIG_PATH, MAX_BYTES);
  const reading = readRepositoryConfigFile(file, allAgents(roster));
  known.set(contents, { tip, reading });
  return reading;
}
