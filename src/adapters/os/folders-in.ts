import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * Names of the folders that stand below `root`, on the path that `names` make. Only `root` may be a link: people choose where that
 * is, and what any other link leads to is not Loom's to clear up.
 */
export function foldersIn(root: string, ...names: readonly string[]): string[] {
  let folder = root;
  try {
    for (const name of names) {
      folder = join(folder, name);
      if (!lstatSync(folder).isDirectory()) return [];
    }
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  } catch {
    return [];
  }
}
