import { existsSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { NAMESPACE_LIMITS } from "../relay/set-apart.ts";
import type { Mount } from "./mounts.ts";

/** Through these the kernel is told what to do. */
const CONTROLS = [
  "sys",
  "sysrq-trigger",
  "fs",
  "irq",
  "bus",
  "mtrr",
  "acpi",
  "scsi",
  "driver",
  "asound",
  "tty",
];

/** Everybody may open these, but what they tell depends on who reads: keys in use, where the kernel lies in memory. */
const TELLS_THE_OWNER_MORE = new Set(["kallsyms", "key-users", "keys", "iomem", "ioports", "sched_debug"]);

/**
 * What of /proc is not as the kernel shows it. The kernel asks who owns a file there, and takes a program in a sandbox that
 * root opened for the owner, whatever the sandbox calls it. So what changes the kernel is read-only, and what only root
 * may read is nothing: the kernel's log, its memory, its timers. Those are found by their mode, since each kernel has others.
 */
export function procMounts({ controls, closed }: ProcParts, emptyFile: string): Mount[] {
  return [
    ...controls.map((path): Mount => ({ kind: "read", from: path, at: path })),
    ...(existsSync(NAMESPACE_LIMITS)
      ? [{ kind: "write", from: NAMESPACE_LIMITS, at: NAMESPACE_LIMITS } as const]
      : []),
    ...closed.map((path): Mount => ({ kind: "read", from: emptyFile, at: path })),
  ];
}

export type ProcParts = { readonly controls: readonly string[]; readonly closed: readonly string[] };

let parts: ProcParts | null = null;

/** Looks at some thousand files, which takes 40 ms, so once is enough. */
export function findProcParts(): ProcParts {
  parts ??= lookAtProc();
  return parts;
}

function lookAtProc(): ProcParts {
  const controls = CONTROLS.map((name) => `/proc/${name}`).filter((path) => existsSync(path));
  if (process.getuid?.() !== 0) return { controls, closed: [] };
  const below = controls.flatMap((path) => closedFiles(path, 1));
  return { controls, closed: [...closedFiles("/proc", 0), ...below] };
}

/** Deep enough for all there is. */
const DEEPEST = 8;

/** Of the network that a program is in: the sandbox has its own, in which these files may not even exist. */
const OF_THE_NETWORK = "/proc/sys/net";

function closedFiles(folder: string, depth: number): string[] {
  return entriesOf(folder).flatMap((name) => {
    const path = join(folder, name);
    if (path === OF_THE_NETWORK) return [];
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory()) return depth > 0 && depth < DEEPEST ? closedFiles(path, depth + 1) : [];
    if (!found?.isFile()) return [];
    const isClosed = (found.mode & 0o004) === 0 || (depth === 0 && TELLS_THE_OWNER_MORE.has(name));
    return isClosed ? [path] : [];
  });
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
