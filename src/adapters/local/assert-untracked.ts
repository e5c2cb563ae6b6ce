import { realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative } from "node:path";
import { UserError } from "../../core/errors.ts";
import type { RepositoryGit } from "../../ports/git.ts";
import { listCheckouts } from "./checkout-find.ts";
import { someOf } from "./checkout-state.ts";

/**
 * Before files are written that a run is to follow: one that git knows would be a change that is not committed, and then
 * `assertCheckoutClean` refuses the run.
 */
export async function assertUntracked(
  git: RepositoryGit,
  target: string,
  files: readonly string[],
): Promise<void> {
  for (const checkout of await listCheckouts(git)) {
    if (checkout.branch !== target) continue;
    const paths = files.flatMap((file) => pathIn(checkout.workTree, file) ?? []);
    if (paths.length === 0) continue;
    const { stdout } = await git.checkout({ command: "ls-files", options: ["-z"], paths }, checkout);
    const tracked = stdout.split("\0").filter((path) => path !== "");
    if (tracked.length > 0)
      throw new UserError(
        `\`${target}\` holds ${someOf(tracked)} already: written over, that would be a change in ${checkout.workTree} that is not committed.`,
        { next: "Name another file with --out, or let Loom merge into another branch with --into." },
      );
  }
}

/** null: it lies elsewhere, or in a folder that is not there. */
function pathIn(workTree: string, file: string): string | null {
  try {
    const path = relative(workTree, join(realpathSync(dirname(file)), basename(file)));
    return path.startsWith("..") || isAbsolute(path) ? null : path;
  } catch {
    return null;
  }
}
