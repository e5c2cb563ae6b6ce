import type { Sha } from "../../../core/ids.ts";
import type { RepositoryGit, Signature } from "../../../ports/git.ts";
import { writeCommit } from "./commit-facts.ts";
import { formatTree, nameBytes, type TreeNode } from "./tree-object.ts";

/** A commit without a parent that holds these files and nothing else. The same files at the same time give the same commit. */
export async function storeCommit(
  git: Pick<RepositoryGit, "store"> & { readonly storeBlob: (content: Buffer) => Promise<Sha> },
  files: Readonly<Record<string, string>>,
  { message, by }: { readonly message: string; readonly by: Signature },
): Promise<Sha> {
  const nodes: TreeNode[] = [];
  for (const [name, text] of Object.entries(files))
    nodes.push({ name: nameBytes(name), mode: "100644", sha: await git.storeBlob(Buffer.from(text)) });
  const tree = git.store("tree", formatTree(nodes));
  return writeCommit(git, { tree, parents: [], author: by, message }, by);
}
