import { statfsSync, statSync } from "node:fs";

/** Where a sandbox has folders in memory. */
const FOLDERS = ["/tmp", "/var/tmp", "/run", "/dev/shm"];
const TMPFS = 0x01021994;
/** What the kernel keeps for a file in memory besides its contents; it counts this for nobody. */
const ENTRY_BYTES = 1024;
const MOST_TRIES = 4;

/**
 * What the folders in memory of a sandbox hold, seen through one of its programs. The kernel limits their bytes, but an empty
 * file has none, and a million of them take a gigabyte.
 */
export function scratchBytes(pids: readonly number[]): number {
  // Those that build the isolation come first; one of them stands outside, the next ones live as long as the sandbox.
  for (const pid of pids.slice(0, MOST_TRIES)) {
    const inside = FOLDERS.filter((folder) => isOther(`/proc/${pid}/root${folder}`, folder));
    if (inside.length > 0)
      return inside.reduce((sum, folder) => sum + bytesIn(`/proc/${pid}/root${folder}`), 0);
  }
  return 0;
}

/** A folder of the sandbox's own, and not that of the machine. */
function isOther(path: string, folder: string): boolean {
  const device = deviceOf(path);
  return device !== null && device !== deviceOf(folder);
}

function deviceOf(path: string): number | null {
  try {
    return statSync(path).dev;
  } catch {
    return null;
  }
}

function bytesIn(path: string): number {
  try {
    const { type, blocks, bfree, bsize, files, ffree } = statfsSync(path);
    return type === TMPFS ? (blocks - bfree) * bsize + (files - ffree) * ENTRY_BYTES : 0;
  } catch {
    return 0;
  }
}
