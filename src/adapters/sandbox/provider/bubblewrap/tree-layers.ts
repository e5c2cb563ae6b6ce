/** What holds at a path from the root of the tree and below it, until a deeper one says otherwise; "" is the tree. */
export type TreeLayer = { readonly path: string; readonly access: "read" | "write" | "hidden" };

/**
 * The layers to mount, outer ones first; of those given a later one beats an earlier one. The first is the tree.
 *
 * A mount holds a name in its place, and only that name: a folder above it could be moved, and what was hidden or
 * protected by its path would stand open to the next program (T39). So each folder above a layer is a layer as well, with
 * the access that it has anyway. The kernel then answers EBUSY to whoever moves or removes one, and EXDEV to a rename
 * into or out of it, which tools take as a reason to copy. What lies in a read-only folder can't be moved in any case.
 */
export function arrangeLayers(given: readonly TreeLayer[]): TreeLayer[] {
  const order = new Map(given.map(({ path }, at) => [path, at]));
  const standing = new Map<string, TreeLayer>();
  given.forEach((layer, at) => {
    const above = foldersAbove(layer.path);
    const isBeaten = [...above, layer.path].some((path) => (order.get(path) ?? -1) > at);
    const isOutOfSight = above.some((path) => given[order.get(path) ?? -1]?.access === "hidden");
    if (!isBeaten && !isOutOfSight) standing.set(layer.path, layer);
  });
  const accessAbove = (path: string): TreeLayer["access"] | null =>
    foldersAbove(path)
      .map((folder) => standing.get(folder)?.access)
      .findLast((access) => access !== undefined) ?? null;
  const layers = [...standing.values()].filter(({ path, access }) => accessAbove(path) !== access);
  const result = new Map(layers.map((layer) => [layer.path, layer]));
  for (const { path } of layers) {
    for (const folder of foldersAbove(path)) {
      if (!result.has(folder) && (standing.get(folder)?.access ?? accessAbove(folder)) === "write")
        result.set(folder, { path: folder, access: "write" });
    }
  }
  return [...result.values()].sort((a, b) => depthOf(a.path) - depthOf(b.path));
}

/** From the tree itself down to the parent. */
function foldersAbove(path: string): string[] {
  if (path === "") return [];
  const names = path.split("/");
  return names.map((_, at) => names.slice(0, at).join("/"));
}

function depthOf(path: string): number {
  return path === "" ? 0 : path.split("/").length;
}
