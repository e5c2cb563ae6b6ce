import { runGit } from "../run-git.ts";
import { objectsOf } from "./object-reader.ts";
import { isFullSha } from "./read-history.ts";

/** What git would read as a walk through history, a path or a range is not a name. */
const NOT_A_NAME = /[\s\0~^:?*[\\]|\.\.|@\{/;

/**
 * The commit a name stands for, or null. A branch wins over a tag of the same name, as on GitHub and other than in git.
 * Asked through standard input, so that no name can be read as an option.
 */
export async function resolveRevision(gitDir: string, revision: string): Promise<string | null> {
  if (revision === "" || NOT_A_NAME.test(revision)) return null;
  const direct = isFullSha(revision) || revision.startsWith("refs/");
  const names = direct ? [revision] : [`refs/heads/${revision}`, `refs/tags/${revision}`];
  for (const name of names) {
    const found = await objectsOf(gitDir).info(`${name}^{commit}`);
    if (found) return found.sha;
  }
  if (direct) return null;
  // What is left may be an abbreviation.
  const input = `${revision}^{commit}\n`;
  const { stdout } = await runGit(gitDir, ["cat-file", "--batch-check"], { input });
  const [sha, type] = stdout.split(" ");
  return type === "commit" && sha ? sha : null;
}
