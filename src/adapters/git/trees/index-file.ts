import { copyFile, stat, utimes } from "node:fs/promises";
import type { Sha } from "../../../core/ids.ts";
import type { RepositoryGit } from "../../../ports/git.ts";
import type { TreeEdit } from "../objects/edit-tree.ts";

/** Edits an index without looking at any work tree. */
export async function editIndex(
  git: RepositoryGit,
  index: string,
  edits: readonly TreeEdit[],
): Promise<void> {
  if (edits.length === 0) return;
  // Removals first: a file may stand where a folder was.
  const ordered = [
    ...edits.filter(({ mode }) => mode === null),
    ...edits.filter(({ mode }) => mode !== null),
  ];
  const none = "0".repeat(git.repository.objectFormat === "sha1" ? 40 : 64);
  const lines = ordered.map(({ mode, sha, path }) =>
    mode === null ? `0 ${none}\t${path}\0` : `${mode} ${sha}\t${path}\0`,
  );
  await git.trusted(
    { command: "update-index", options: ["--replace", "-z", "--index-info"], input: lines.join("") },
    { index },
  );
}

export async function writeTree(git: RepositoryGit, index: string): Promise<Sha> {
  return (await git.trusted({ command: "write-tree" }, { index })).stdout.trim();
}

/** Git looks again into files that are as new as the index, so a copy must not look newer than what it is of. */
export async function copyIndex(from: string, to: string): Promise<void> {
  const seconds = Math.floor((await stat(from)).mtimeMs / 1000);
  await copyFile(from, to);
  await utimes(to, seconds, seconds);
}
