import type { Sha } from "../../../core/ids.ts";
import type { FileChange } from "../../../ports/git.ts";
import { compare, isTree, nameText, shownMode, sortKey, type TreeNode } from "../objects/tree-object.ts";
import type { TreeStore } from "../objects/tree-store.ts";

/**
 * What `git diff-tree -r --raw --no-renames` prints, from the folders themselves: only those that differ are read. null for a
 * tree: there is none.
 */
export async function compareTrees(
  store: TreeStore,
  from: Sha | null,
  to: Sha | null,
): Promise<FileChange[]> {
  const changes: FileChange[] = [];
  await visit(store, from, to, "", changes);
  return changes;
}

async function visit(
  store: TreeStore,
  from: Sha | null,
  to: Sha | null,
  prefix: string,
  changes: FileChange[],
): Promise<void> {
  const [before, after] = await Promise.all([nodesByKey(store, from), nodesByKey(store, to)]);
  for (const key of [...new Set([...before.keys(), ...after.keys()])].sort(compare)) {
    const [old, now] = [before.get(key), after.get(key)];
    if (old?.sha === now?.sha && old?.mode === now?.mode) continue;
    const node = now ?? old;
    if (node === undefined) continue;
    const path = prefix + nameText(node.name);
    if (isTree(node)) await visit(store, old?.sha ?? null, now?.sha ?? null, `${path}/`, changes);
    else addChange(changes, path, old, now);
  }
}

async function nodesByKey(store: TreeStore, tree: Sha | null): Promise<ReadonlyMap<string, TreeNode>> {
  const nodes = tree === null ? [] : await store.read(tree);
  return new Map(nodes.map((node) => [sortKey(node), node]));
}

function addChange(
  changes: FileChange[],
  path: string,
  old: TreeNode | undefined,
  now: TreeNode | undefined,
): void {
  const none = "0".repeat((now ?? old)?.sha.length ?? 40);
  const [oldMode, mode] = [old, now].map((node) => (node ? shownMode(node.mode) : null));
  if (oldMode === mode && old?.sha === now?.sha) return;
  changes.push({
    path,
    mode: mode ?? null,
    sha: now?.sha ?? none,
    oldMode: oldMode ?? null,
    oldSha: old?.sha ?? none,
  });
}
