import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../../core/errors.ts";
import type { RepositoryGit } from "../../ports/git.ts";
import { listCheckouts } from "./checkout-find.ts";

const OPERATIONS: readonly (readonly [file: string, name: string])[] = [
  ["MERGE_HEAD", "merge"],
  ["rebase-merge", "rebase"],
  ["rebase-apply", "rebase"],
  ["CHERRY_PICK_HEAD", "cherry-pick"],
  ["REVERT_HEAD", "revert"],
  ["BISECT_LOG", "bisect"],
];

/** What a person is in the middle of in a checkout, or null. */
export function operationInProgress(gitDir: string): string | null {
  return OPERATIONS.find(([file]) => existsSync(join(gitDir, file)))?.[1] ?? null;
}

/** Before a run starts: nothing in the way of a checkout that follows the target. Untracked files are fine. */
export async function assertCheckoutClean(git: RepositoryGit, target: string): Promise<void> {
  for (const checkout of await listCheckouts(git)) {
    // While a rebase runs, the branch is not checked out; the rebase knows which it was.
    if (checkout.branch !== target && rebasedBranch(checkout.gitDir) !== target) continue;
    const operation = operationInProgress(checkout.gitDir);
    if (operation !== null) {
      throw new UserError(
        `A ${operation} is in progress in ${checkout.workTree}, where \`${target}\` is checked out.`,
        {
          next: `Finish or abort the ${operation}, or let Loom merge into another branch with --into.`,
        },
      );
    }
    const { stdout } = await git.checkout(
      {
        command: "status",
        options: ["--porcelain", "-z", "-uno", "--no-renames", "--ignore-submodules=all"],
      },
      checkout,
    );
    const files = stdout
      .split("\0")
      .filter((line) => line !== "")
      .map((line) => line.slice(3));
    if (files.length > 0) {
      throw new UserError(
        `\`${target}\` is checked out in ${checkout.workTree} with changes that are not committed: ${someOf(files)}.`,
        { next: "Commit or stash them, or let Loom merge into another branch with --into." },
      );
    }
  }
}

function rebasedBranch(gitDir: string): string | null {
  for (const folder of ["rebase-merge", "rebase-apply"]) {
    try {
      return readFileSync(join(gitDir, folder, "head-name"), "utf8")
        .trim()
        .replace(/^refs\/heads\//, "");
    } catch {
      // Not this kind of rebase.
    }
  }
  return null;
}

/** Up to five names, the rest counted. */
export function someOf(names: readonly string[]): string {
  const shown = names.slice(0, 5).map((name) => `\`${name}\``);
  const more = names.length - shown.length;
  return more > 0 ? `${shown.join(", ")} and ${more} more` : shown.join(", ");
}
