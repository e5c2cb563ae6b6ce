/** A path seen from a folder, from the root; null when it leads out of it. */
export function resolvePath(folder: string, path: string): string | null {
  const parts: string[] = [];
  for (const part of [...folder.split("/"), ...path.split("/")]) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.length === 0 ? "." : parts.join("/");
}

/** Links can lead to links, and in a circle. */
const MOST_LINKS = 20;

/** Where a path leads to by links of the same tree: itself, each link on the way, and what comes of it. */
export function throughLinks(path: string, links: ReadonlyMap<string, string>): string[] {
  const found = [path];
  let current = path;
  for (let step = 0; step < MOST_LINKS; step += 1) {
    const parts = current.split("/");
    const at = parts.findIndex((_part, index) => links.has(parts.slice(0, index + 1).join("/")));
    if (at === -1) break;
    const link = parts.slice(0, at + 1).join("/");
    const target = resolvePath(parts.slice(0, at).join("/"), links.get(link) ?? "");
    if (target === null || links.get(link)?.startsWith("/")) return [...found, link];
    current = resolvePath(target, parts.slice(at + 1).join("/")) ?? current;
    found.push(link, current);
  }
  return [...new Set(found)];
}
