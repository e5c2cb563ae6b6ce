import { closeSync, fsyncSync, openSync } from "node:fs";

/** A new name is on the disk once the folder that holds it is. */
export function syncFolder(folder: string): void {
  const fd = openSync(folder, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
