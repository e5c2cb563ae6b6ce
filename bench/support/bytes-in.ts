import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Of all files below a folder, by their sizes and not by blocks, which differ between disks; 0 when it is not there. */
export function bytesIn(folder: string): number {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (!found) return 0;
  if (!found.isDirectory()) return found.size;
  return readdirSync(folder).reduce((sum, name) => sum + bytesIn(join(folder, name)), 0);
}
