import { type BigIntStats, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

export type KnownPaths = {
  /** Where one of them is now, if it was moved within the tree. What is gone altogether needs no isolation. */
  findMoved(): { readonly path: string; readonly to: string } | null;
};

/**
 * Remembers which files and folders the rules meant when the sandbox was opened. Inside of a sandbox none can be moved, but
 * somebody outside may do it between two programs; the rule would then name nothing, and hide nothing (T39).
 */
export function rememberPaths(tree: string, paths: readonly string[]): KnownPaths {
  const known = paths.map((path) => ({ path, id: identity(look(join(tree, path))) }));
  return {
    findMoved() {
      const missing = new Map<string, string>();
      for (const { path, id } of known)
        if (id !== null && identity(lookFromRoot(tree, path)) !== id) missing.set(id, path);
      return missing.size === 0 ? null : findIn(tree, missing);
    },
  };
}

function findIn(tree: string, missing: ReadonlyMap<string, string>): ReturnType<KnownPaths["findMoved"]> {
  const waiting = [""];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const name of list(join(tree, folder))) {
      const to = folder === "" ? name : `${folder}/${name}`;
      const stats = look(join(tree, to));
      const path = missing.get(identity(stats) ?? "");
      if (path !== undefined) return { path, to };
      if (stats?.isDirectory()) waiting.push(to);
    }
  }
  return null;
}

/** The number alone may be given to a new file once the old one is gone. */
function identity(stats: BigIntStats | null): string | null {
  return stats === null ? null : `${stats.dev}:${stats.ino}:${stats.birthtimeNs}`;
}

/** null as well when a link stands on the way. */
function lookFromRoot(tree: string, path: string): BigIntStats | null {
  let at = tree;
  let found: BigIntStats | null = null;
  for (const name of path.split("/")) {
    if (found !== null && !found.isDirectory()) return null;
    at = join(at, name);
    found = look(at);
    if (found === null) return null;
  }
  return found;
}

function look(path: string): BigIntStats | null {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
