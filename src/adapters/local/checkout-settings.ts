import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { CheckoutPlace, RepositoryGit } from "../../ports/git.ts";

/**
 * A person's checkout is brought forward with the person's own settings, or git-lfs would not work. Those settings can
 * name programs, and an agent could have added one with a plain `git config` (T11). Few programs are started at all, and
 * besides, what settings say when the forge is made is remembered, and a later difference is reported instead of obeyed.
 *
 * Editors and `git push -u` write settings all the time. Only those sections count that git obeys when it writes files.
 */
export type SettingsWatch = {
  /** The file in which something changed that could make git run a program; null when all is as it was. */
  changedFile(): Promise<string | null>;
};

const SECTIONS =
  /^(?:core|credential|extensions|feature|filter|include|includeif|index|lfs|submodule|trace2)\./;

export async function watchSettings(git: RepositoryGit): Promise<SettingsWatch> {
  const { commonDir, root, gitDir } = git.repository;
  const at = { gitDir, workTree: root ?? commonDir };
  const attributes = join(commonDir, "info", "attributes");
  const start = await readSettings(git, at);
  const attributesAtStart = digest(attributes);
  const files = [...new Set([...start.keys(), ...standardFiles(git)])];
  let digests = files.map(digest).join();

  return {
    async changedFile() {
      if (digest(attributes) !== attributesAtStart) return attributes;
      const digestsNow = files.map(digest).join();
      if (digestsNow === digests) return null;
      const now = await readSettings(git, at);
      for (const file of new Set([...start.keys(), ...now.keys()])) {
        if (start.get(file) !== now.get(file)) return file;
      }
      digests = digestsNow;
      return null;
    },
  };
}

/** What counts of each file of settings, included ones too. */
async function readSettings(git: RepositoryGit, at: CheckoutPlace): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const { file, key, value } of await git.settings(at)) {
    if (file === null) continue;
    found.set(file, (found.get(file) ?? "") + (SECTIONS.test(key) ? `${key}\n${value}\0` : ""));
  }
  return found;
}

/** Files that git would read if they came into being. */
function standardFiles({ repository }: RepositoryGit): string[] {
  const home = homedir();
  return [
    join(repository.commonDir, "config"),
    join(repository.commonDir, "config.worktree"),
    join(repository.gitDir, "config.worktree"),
    join(home, ".gitconfig"),
    join(process.env.XDG_CONFIG_HOME || join(home, ".config"), "git", "config"),
  ];
}

function digest(file: string): string {
  try {
    return createHash("sha256").update(readFileSync(file)).digest("hex");
  } catch {
    return "absent";
  }
}
