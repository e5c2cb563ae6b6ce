import { copyFile, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import type { Sha } from "../../core/ids.ts";
import type { GitAnswer, GitCall, RepositoryGit } from "../../ports/git.ts";

/** What a person's checkout holds beyond its last commit. */
export type UnsavedWork = {
  /** On top of the last commit, in no branch: all that is changed in files that git knows. null: nothing is. */
  readonly commit: Sha | null;
  /** Files, or whole folders of them, that git does not know and that nobody wanted ignored. */
  readonly untracked: number;
};

const IDENTITY = { name: "Loom", email: "loom@localhost", date: "@0 +0000" };

/**
 * Makes a commit of what is staged and of what is not, and touches neither the checkout nor its index. The same files give
 * the same commit, whenever it is made. The person's settings count, as with `git add`: files look in the commit as they
 * would if the person made it.
 */
export async function findUnsavedWork(git: RepositoryGit): Promise<UnsavedWork> {
  const { root, gitDir, headSha } = git.repository;
  if (root === null || headSha === null) return { commit: null, untracked: 0 };
  const folder = await git.scratch();
  try {
    const index = join(folder, "index");
    const at = { gitDir, workTree: root, index };
    const call = (one: GitCall): Promise<GitAnswer> => git.checkout(one, at);
    await copyIndex(join(gitDir, "index"), index);
    const changed = await call({
      command: "diff-files",
      options: ["-z", "--name-only", "--ignore-submodules=all"],
    });
    if (changed.stdout !== "")
      await call({
        command: "update-index",
        options: ["--add", "--remove", "-z", "--stdin"],
        input: changed.stdout,
      });
    const tree = (await call({ command: "write-tree" })).stdout.trim();
    const others = await call({
      command: "ls-files",
      options: ["-z", "--others", "--exclude-standard", "--directory", "--no-empty-directory"],
    });
    const untracked = others.stdout.split("\0").filter((name) => name !== "").length;
    if (tree === (await treeOf(git, headSha))) return { commit: null, untracked };
    const { stdout } = await git.trusted({
      command: "commit-tree",
      options: [["-p", headSha]],
      values: [tree],
      input: "What is not committed yet\n",
      author: IDENTITY,
      committer: IDENTITY,
    });
    return { commit: stdout.trim(), untracked };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function treeOf(git: RepositoryGit, commit: Sha): Promise<Sha> {
  const { stdout } = await git.trusted({ command: "rev-parse", values: [`${commit}^{tree}`] });
  return stdout.trim();
}

/** Git looks again into files that are as new as the index, so a copy must not look newer than what it is of. */
async function copyIndex(from: string, to: string): Promise<void> {
  try {
    const seconds = Math.floor((await stat(from)).mtimeMs / 1000);
    await copyFile(from, to);
    await utimes(to, seconds, seconds);
  } catch (error) {
    // A checkout in which nothing was ever added has none.
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  }
}
