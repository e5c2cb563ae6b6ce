import { InternalError } from "../../../core/errors.ts";
import type { Sha } from "../../../core/ids.ts";
import type { FilesSpec } from "../../../ports/workspace.ts";
import { writeCommit } from "../objects/commit-facts.ts";
import { editTree, removal, type TreeEdit } from "../objects/edit-tree.ts";
import { checkedSha } from "../objects/object-reader.ts";
import type { TreeListing } from "../objects/tree-listing.ts";
import type { CommitTools } from "./commit-work.ts";

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
  const additions = Object.entries(files).map(([path, text]) => ({
    path,
    mode: listing.get(path)?.mode === "100755" ? "100755" : "100644",
    sha: git.store("blob", Buffer.from(text)),
  }));
  const restored = restore ? restoring(await reader.listing(checkedSha(restore.from)), restore.paths) : [];
  const edits = [...remove.map(removal), ...restored, ...additions];
  const tree = await editTree(reader.trees, await reader.treeOf(base), edits);
  return writeCommit(git, { tree, parents: [base], author: identity, message }, identity);
}

function restoring(from: TreeListing, paths: readonly string[]): TreeEdit[] {
  return paths.map((path) => {
    const entry = from.get(path);
    return entry ? { path, ...entry } : removal(path);
  });
}

function assertFilePath(path: string): void {
  if (/[\0\n\\]/.test(path) || path.split("/").some((name) => /^(?:\.{0,2}|\.git)$/i.test(name))) {
    throw new InternalError(`${JSON.stringify(path)} is not the path of a file in a repository`);
  }
}
