import {
  type BigIntStats,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statfsSync,
  statSync,
} from "node:fs";
import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";

const SLICE_MS = 8;
const PAUSE_MS = 8;

/** Free bytes of the file systems that hold these folders, each counted once. */
export function freeBytes(folders: readonly string[]): number {
  let sum = 0;
  const devices = new Set<number>();
  for (const folder of folders) {
    try {
      const { dev } = statSync(folder);
      if (devices.has(dev)) continue;
      devices.add(dev);
      const { bavail, bsize } = statfsSync(folder);
      sum += bavail * bsize;
    } catch {
      // Gone, so it holds nothing.
    }
  }
  return sum;
}

export type Written = {
  readonly bytes: number;
  /** Something lies where nobody can look: behind a path that is too long, or in a folder whose rights were taken away. */
  readonly isPartial: boolean;
};

/** An empty file takes room, too, and of such room every disk has an end. */
const LEAST_BYTES = 4096;

/**
 * What was written into these folders since then: all files whose inode changed after it, in whole. No program can set
 * the time of that change back. So nothing has to be measured beforehand, and a tree of any size costs nothing until
 * the disk really fills. A name with several links counts once. Works in slices, and ends early above `enough`.
 *
 * Names are bytes: programs may choose some that are no text.
 */
export async function writtenBytes(
  folders: readonly string[],
  sinceMs: number,
  enough: number,
  isOver: () => boolean,
): Promise<Written> {
  // Clocks of file systems run in coarse steps.
  const since = BigInt(Math.floor(sinceMs - 20)) * 1_000_000n;
  const links = new Set<bigint>();
  const waiting = folders.map((folder) => Buffer.from(folder));
  let bytes = 0;
  let isPartial = false;
  let sliceEnd = performance.now() + SLICE_MS;
  const count = (stats: BigIntStats): void => {
    if (stats.ctimeNs < since) return;
    if (stats.nlink > 1n && !stats.isDirectory()) {
      if (links.has(stats.ino)) return;
      links.add(stats.ino);
    }
    bytes += Math.max(LEAST_BYTES, Number(stats.blocks) * 512);
  };
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const names = listNames(folder);
    isPartial ||= names === null;
    for (const name of names ?? []) {
      const path = Buffer.concat([folder, SLASH, name]);
      const stats = look(path);
      isPartial ||= stats === null;
      if (stats?.isDirectory()) waiting.push(path);
      if (stats) count(stats);
      if (performance.now() < sliceEnd) continue;
      if (bytes > enough || isOver()) return { bytes, isPartial };
      await delay(PAUSE_MS);
      sliceEnd = performance.now() + SLICE_MS;
    }
  }
  return { bytes, isPartial };
}

const SLASH = Buffer.from("/");

/** undefined: it is gone; null: it can't be looked at. */
function look(path: Buffer): BigIntStats | undefined | null {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return null;
  }
}

/** null: it can't be looked into. */
function listNames(folder: Buffer): Buffer[] | null {
  try {
    return readdirSync(folder, { encoding: "buffer" });
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? [] : null;
  }
}

/**
 * Files that have no name any more but are held by one of these processes, in memory or on a disk: opened, or only mapped.
 * What is on its way through a socket, the data in sockets, and SysV segments that nobody has attached are at no process;
 * those in memory only a control group counts, and files on a disk that are sent to and fro nobody does.
 */
export function heldBytes(pids: readonly number[]): { readonly disk: number; readonly memory: number } {
  const seen = new Set<string>();
  const sums = { disk: 0, memory: 0 };
  for (const pid of pids) {
    for (const path of heldFiles(pid)) {
      try {
        const target = readlinkSync(path);
        if (!target.endsWith(" (deleted)")) continue;
        const stats = statSync(path);
        const id = `${stats.dev}:${stats.ino}`;
        if (!stats.isFile() || seen.has(id)) continue;
        seen.add(id);
        sums[/^\/(?:memfd:|SYSV)/.test(target) ? "memory" : "disk"] += stats.blocks * 512;
      } catch {
        // Closed meanwhile; or mapped, and Loom is not root: only root may look behind mappings.
      }
    }
  }
  return sums;
}

function heldFiles(pid: number): string[] {
  const opened = listFiles(`/proc/${pid}/fd`).map((name) => `/proc/${pid}/fd/${name}`);
  const mapped = readText(`/proc/${pid}/maps`)
    .split("\n")
    .filter(isDeleted)
    .map((line) => /^0*([0-9a-f]+)-0*([0-9a-f]+) /.exec(line));
  return [...opened, ...mapped.map((range) => `/proc/${pid}/map_files/${range?.[1]}-${range?.[2]}`)];
}

/** Memory that parents share with their children has the name of a deleted file, too; it is resident where it is used. */
function isDeleted(line: string): boolean {
  return line.endsWith(" (deleted)") && !line.endsWith("/dev/zero (deleted)");
}

function readText(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
