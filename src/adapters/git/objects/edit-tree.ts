import { InternalError } from "../../../core/errors.ts";
import type { Sha } from "../../../core/ids.ts";
import { isTree, nameBytes, TREE, type TreeNode } from "./tree-object.ts";
import type { TreeStore } from "./tree-store.ts";

export type TreeEdit = {
  readonly path: string;
  /** null: take the path out, whatever `sha` says. */
  readonly mode: string | null;
  readonly sha: Sha;
};

export function removal(path: string): TreeEdit {
  return { path, mode: null, sha: "" };
}

type Folder = { edit: TreeEdit | null; readonly inner: Map<string, Folder> };

/**
 * The tree with these paths changed. A file may take the place of a folder, and a folder that of a file; folders without
 * anything in them go. Only folders on the way to a change are read and written, everything else stays as the bytes it is,
 * names that are no text as well. null for a tree: there is none yet.
 */
export async function editTree(store: TreeStore, tree: Sha | null, edits: readonly TreeEdit[]): Promise<Sha> {
  const root: Folder = { edit: null, inner: new Map() };
  for (const edit of edits) {
    if (edit.mode !== null) assertStorable(edit.path);
    let at = root;
    for (const name of edit.path.split("/").map(nameBytes)) {
      const next: Folder = at.inner.get(name) ?? { edit: null, inner: new Map() };
      at.inner.set(name, next);
      at = next;
    }
    // What is put somewhere counts more than what stood there.
    if (at.edit?.mode == null) at.edit = edit;
  }
  return (await edited(store, tree, root)) ?? store.write([]);
}

/** What git refuses to put into an index. */
function assertStorable(path: string): void {
  if (/\0/.test(path) || path.split("/").some((name) => /^(?:\.{0,2}|\.git)$/i.test(name)))
    throw new InternalError(`${JSON.stringify(path)} is no path that git stores`);
}

/** null: nothing is left in it. */
async function edited(store: TreeStore, tree: Sha | null, { inner }: Folder): Promise<Sha | null> {
  const before = tree === null ? [] : await store.read(tree);
  const nodes = new Map(before.map((node) => [node.name, node]));
  for (const [name, change] of inner) {
    const now = await changed(store, name, nodes.get(name), change);
    if (now) nodes.set(name, now);
    else nodes.delete(name);
  }
  const isSame = nodes.size === before.length && before.every((node) => nodes.get(node.name) === node);
  if (nodes.size === 0) return null;
  return isSame && tree !== null ? tree : store.write([...nodes.values()]);
}

async function changed(
  store: TreeStore,
  name: string,
  node: TreeNode | undefined,
  { edit, inner }: Folder,
): Promise<TreeNode | undefined> {
  if (edit?.mode != null) return { name, mode: edit.mode, sha: edit.sha };
  const stays = edit === null ? node : undefined;
  if (inner.size === 0) return stays;
  const below = stays !== undefined && isTree(stays) ? stays.sha : null;
  const sha = await edited(store, below, { edit: null, inner });
  // To take out what is below a file changes nothing about the file.
  if (sha === null) return below === null ? stays : undefined;
  return stays?.sha === sha ? stays : { name, mode: TREE, sha };
}
