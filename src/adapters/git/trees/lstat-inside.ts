import type { Stats } from "node:fs";
import { lstat } from "node:fs/promises";
import { dirname, join } from "node:path";

export type LstatInside = (path: string) => Promise<Stats | null>;

/**
 * Looks at paths of a work tree and never past a link: where an agent has put a link in the place of a folder, a path
 * below it is not there. Anything else would change files outside the tree.
 */
export function createLstatInside(root: string): LstatInside {
  const folders = new Map<string, Promise<boolean>>([[".", Promise.resolve(true)]]);

  function isFolder(path: string): Promise<boolean> {
    const known = folders.get(path);
    if (known) return known;
    const answer = look(path).then((found) => found?.isDirectory() ?? false);
    folders.set(path, answer);
    return answer;
  }

  async function look(path: string): Promise<Stats | null> {
    if (!(await isFolder(dirname(path)))) return null;
    return lstat(join(root, path)).catch(() => null);
  }

  return look;
}
