import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Sha } from "../../core/ids.ts";
import type { RepositoryGit } from "../../ports/git.ts";
import { writeCommit } from "./commit-facts.ts";
import { editIndex, type IndexEdit, writeTree } from "./index-file.ts";
import { LOOM_IDENTITY } from "./loom-identity.ts";

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
  const edits: IndexEdit[] = [];
  for (const [path, text] of Object.entries(files)) {
    const { stdout } = await git.trusted({ command: "hash-object", options: ["-w", "--stdin"], input: text });
    edits.push({ path, mode: "100644", sha: stdout.trim() });
  }
  const folder = await git.scratch();
  const index = join(folder, "index");
  await editIndex(git, index, edits);
  const tree = await writeTree(git, index);
  await rm(folder, { recursive: true, force: true });
  const facts = { tree, parents: [], author: LOOM_IDENTITY, message: "Begin" };
  const commit = await writeCommit(git, facts, LOOM_IDENTITY);
  await git.refs({ command: "update-ref", values: ["refs/heads/main", commit] });
  return commit;
}
