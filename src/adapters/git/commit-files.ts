import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { InternalError } from "../../core/errors.ts";
import type { Sha } from "../../core/ids.ts";
import type { RepositoryGit } from "../../ports/git.ts";
import type { FilesSpec } from "../../ports/workspace.ts";
import { writeCommit } from "./commit-facts.ts";
import type { CommitTools } from "./commit-work.ts";
import { editIndex, type IndexEdit, removal, writeTree } from "./index-file.ts";
import { checkedSha } from "./object-reader.ts";
import type { TreeListing } from "./tree-listing.ts";

/**
 * A commit of Loom's own documents, such as a plan or a run's record, made without a work tree: no link and no program of
 * a repository has a say in it.
 */
export async function commitFiles(
  { git, reader, identity }: CommitTools,
  { base, files, remove = [], restore, message }: FilesSpec,
): Promise<Sha> {
  checkedSha(base);
  for (const path of [...Object.keys(files), ...remove]) assertFilePath(path);
  const listing = await reader.listing(base);
  const folder = await git.scratch();
  try {
    const index = join(folder, "index");
    const [blobs] = await Promise.all([
      writeBlobs(git, folder, Object.values(files)),
      git.trusted({ command: "read-tree", values: [base] }, { index }),
    ]);
    const additions = Object.keys(files).map((path, at) => ({
      path,
      mode: listing.get(path)?.mode === "100755" ? "100755" : "100644",
      sha: blobs[at] ?? "",
    }));
    const restored = restore ? restoring(await reader.listing(checkedSha(restore.from)), restore.paths) : [];
    await editIndex(git, index, [...remove.map(removal), ...restored, ...additions]);
    const tree = await writeTree(git, index);
    return await writeCommit(git, { tree, parents: [base], author: identity, message }, identity);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function restoring(from: TreeListing, paths: readonly string[]): IndexEdit[] {
  return paths.map((path) => {
    const entry = from.get(path);
    return entry ? { path, ...entry } : removal(path);
  });
}

/** Through files: standard input takes one text only, and the texts may be many. */
async function writeBlobs(git: RepositoryGit, folder: string, texts: readonly string[]): Promise<Sha[]> {
  if (texts.length === 0) return [];
  const paths = texts.map((_text, index) => join(folder, String(index)));
  await Promise.all(texts.map((text, index) => writeFile(paths[index] ?? "", text)));
  const { stdout } = await git.trusted({
    command: "hash-object",
    options: ["-w", "--no-filters", "--stdin-paths"],
    input: `${paths.join("\n")}\n`,
  });
  return stdout.trim().split("\n");
}

function assertFilePath(path: string): void {
  if (/[\0\n\\]/.test(path) || path.split("/").some((name) => /^(?:\.{0,2}|\.git)$/i.test(name))) {
    throw new InternalError(`${JSON.stringify(path)} is not the path of a file in a repository`);
  }
}
