import { lstatSync, statSync } from "node:fs";

/** A folder, or a link to one. What can't be looked at is none. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** A folder that stands there itself: where an agent could have put a link, what that leads to is not ours. */
export function isRealFolder(path: string): boolean {
  try {
    return lstatSync(path).isDirectory();
  } catch {
    return false;
  }
}
