import type { Sha } from "../../core/ids.ts";
import type { RepositoryGit, Signature } from "../../ports/git.ts";
import { writeCommit } from "./commit-facts.ts";
import { formatTree, nameBytes } from "./tree-object.ts";

/** A commit without a parent that holds these files and nothing else. The same files at the same time give the same commit. */
export function storeCommit(
  git: Pick<RepositoryGit, "store">,
  files: Readonly<Record<string, string>>,
  { message, by }: { readonly message: string; readonly by: Signature },
): Sha {
  const nodes = Object.entries(files).map(([name, text]) => ({
    name: nameBytes(name),
    mode: "100644",
    sha: git.store("blob", Buffer.from(text)),
  }));
  const tree = git.store("tree", formatTree(nodes));
  return writeCommit(git, { tree, parents: [], author: by, message }, by);
}
