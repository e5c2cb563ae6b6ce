import type { Sha } from "../../../core/ids.ts";
import { isTree, TREE, type TreeNode } from "../objects/tree-object.ts";
import type { TreeStore } from "../objects/tree-store.ts";

/**
 * The merge of two trees that changed different files, by taking each entry from the side that changed it. null where that says
 * too little: both sides changed one entry, even to the same, since it may be half of a rename. What only one side renamed, the
 * other has not touched, so a merge that looks for renames comes to the same tree.
 */
export async function mergeDisjoint(
  store: TreeStore,
  base: Sha,
  ours: Sha,
  theirs: Sha,
): Promise<Sha | null> {
  if (base === ours) return theirs;
  if (base === theirs) return ours;
  const [before, left, right] = await Promise.all([base, ours, theirs].map((tree) => byName(store, tree)));
  if (!before || !left || !right) return null;
  const nodes: TreeNode[] = [];
  for (const name of new Set([...before.keys(), ...left.keys(), ...right.keys()])) {
    const [old, one, other] = [before.get(name), left.get(name), right.get(name)];
    if (isSame(old, one)) {
      if (other) nodes.push(other);
    } else if (isSame(old, other)) {
      if (one) nodes.push(one);
    } else {
      if (!old || !one || !other || ![old, one, other].every(isTree)) return null;
      const sha = await mergeDisjoint(store, old.sha, one.sha, other.sha);
      if (sha === null) return null;
      if ((await store.read(sha)).length > 0) nodes.push({ name, mode: TREE, sha });
    }
  }
  return store.write(nodes);
}

async function byName(store: TreeStore, tree: Sha): Promise<ReadonlyMap<string, TreeNode> | null> {
  const nodes = await store.read(tree);
  const found = new Map(nodes.map((node) => [node.name, node]));
  // Two entries of one name: a tree that git would not have made.
  return found.size === nodes.length ? found : null;
}

function isSame(one: TreeNode | undefined, other: TreeNode | undefined): boolean {
  return one?.sha === other?.sha && one?.mode === other?.mode;
}
