import { InternalError } from "../../../core/errors.ts";
import type { Sha } from "../../../core/ids.ts";
import type { GitObjects, RepositoryGit } from "../../../ports/git.ts";
import { parseCommit } from "./commit-facts.ts";
import { formatTree, parseTree, type TreeNode } from "./tree-object.ts";

/** Folders of commits, read from the process that stays and written without any. What was read or written is remembered. */
export type TreeStore = {
  read(tree: Sha): Promise<readonly TreeNode[]>;
  write(nodes: readonly TreeNode[]): Sha;
};

/** Folders in memory, by their entries together. */
const ENTRIES_KEPT = 50_000;

export function createTreeStore(git: Pick<RepositoryGit, "repository" | "objects" | "store">): TreeStore {
  const nameLength = git.repository.objectFormat === "sha1" ? 40 : 64;
  const known = new Map<Sha, readonly TreeNode[]>();
  let entries = 0;

  function remember(tree: Sha, nodes: readonly TreeNode[]): void {
    entries += nodes.length - (known.get(tree)?.length ?? 0);
    known.delete(tree);
    known.set(tree, nodes);
    for (const [oldest, { length }] of known) {
      if (entries <= ENTRIES_KEPT || oldest === tree) return;
      known.delete(oldest);
      entries -= length;
    }
  }

  return {
    async read(tree) {
      const found = known.get(tree);
      if (found) {
        remember(tree, found);
        return found;
      }
      const object = await git.objects.read(tree);
      if (object?.type !== "tree")
        throw new InternalError(`${tree} is ${object?.type ?? "not there"}, and no tree`);
      const nodes = parseTree(object.content, nameLength);
      remember(tree, nodes);
      return nodes;
    },
    write(nodes) {
      const tree = git.store("tree", formatTree(nodes));
      remember(tree, nodes);
      return tree;
    },
  };
}

/** Of a commit, or the tree itself. */
export async function treeOf(objects: GitObjects, name: Sha): Promise<Sha> {
  const found = await objects.look(name);
  if (found?.type === "tree") return name;
  const commit = await objects.read(name);
  if (commit?.type !== "commit") throw new InternalError(`${name} is ${commit?.type ?? "not there"}`);
  return parseCommit(commit.content.toString("utf8")).tree;
}
