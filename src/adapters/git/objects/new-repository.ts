import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Sha } from "../../../core/ids.ts";
import type { RepositoryGit } from "../../../ports/git.ts";
import { LOOM_IDENTITY } from "../commit/loom-identity.ts";
import { writeCommit } from "./commit-facts.ts";
import { editTree } from "./edit-tree.ts";
import { createTreeStore } from "./tree-store.ts";

const CONFIG = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n";

/** An empty repository, without `git init`, which would copy the hooks of the person's templates. */
export async function makeRepository(root: string): Promise<void> {
  const folder = join(root, ".git");
  for (const name of ["objects/info", "objects/pack", "refs/heads", "refs/tags", "info"])
    await mkdir(join(folder, name), { recursive: true });
  await writeFile(join(folder, "HEAD"), "ref: refs/heads/main\n");
  await writeFile(join(folder, "config"), CONFIG);
}

/** The first commit, on `main`. */
export async function makeFirstCommit(
  git: RepositoryGit,
  files: Readonly<Record<string, string>>,
): Promise<Sha> {
  const edits = Object.entries(files).map(([path, text]) => ({
    path,
    mode: "100644",
    sha: git.store("blob", Buffer.from(text)),
  }));
  const tree = await editTree(createTreeStore(git), null, edits);
  const facts = { tree, parents: [], author: LOOM_IDENTITY, message: "Begin" };
  const commit = writeCommit(git, facts, LOOM_IDENTITY);
  await git.refs({ command: "update-ref", values: ["refs/heads/main", commit] });
  return commit;
}
