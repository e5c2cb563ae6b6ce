import { runGit } from "./run-git.ts";

const FULL_SHA = /^[0-9a-f]{40}$/;
/** What git would read as a walk through history, a path or a range is not a name. */
const NOT_A_NAME = /[\s\0~^:?*[\\]|\.\.|@\{/;

/**
 * The commit a name stands for, or null. A branch wins over a tag of the same name, as on GitHub and other than in git.
 * Asked through standard input, so that no name can be read as an option.
 */
export async function resolveRevision(gitDir: string, revision: string): Promise<string | null> {
  if (revision === "" || NOT_A_NAME.test(revision)) return null;
  const direct = FULL_SHA.test(revision) || revision.startsWith("refs/");
  const names = direct ? [revision] : [`refs/heads/${revision}`, `refs/tags/${revision}`, revision];
  const input = names.map((name) => `${name}^{commit}\n`).join("");
  const { stdout } = await runGit(gitDir, ["cat-file", "--batch-check"], { input });
  for (const line of stdout.split("\n")) {
    const [sha, type] = line.split(" ");
    if (type === "commit" && sha) return sha;
  }
  return null;
}
