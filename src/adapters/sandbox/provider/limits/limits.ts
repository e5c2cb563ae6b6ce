import { release, totalmem } from "node:os";
import type { Limits } from "../../../../ports/sandbox.ts";

const SHARE_OF_MEMORY = 0.8;

/** A limit above what the machine has would let the machine break first. */
export function withinMachine(limits: Limits, machineBytes: number = totalmem()): Limits {
  return { ...limits, memoryBytes: Math.min(limits.memoryBytes, Math.floor(machineBytes * SHARE_OF_MEMORY)) };
}

/** Where the kernel counts, it counts threads, and every program of JavaScript has a dozen. */
export const THREADS_PER_PROCESS = 4;

export type Limit = "processes" | "memory" | "file" | "disk";

/** What went wrong, for people and for the agent's next attempt. */
export function describeLimit(limit: Limit, limits: Limits): string {
  switch (limit) {
    case "processes":
      return `It ran more than ${limits.processes} processes at once.`;
    case "memory":
      return `It used more than ${bytesInWords(limits.memoryBytes)} of memory.`;
    case "file":
      return `It wrote a file larger than ${bytesInWords(limits.fileBytes)}.`;
    case "disk":
      return `It wrote more than ${bytesInWords(limits.diskBytes)} to the disk.`;
  }
}

/**
 * Shell words that bind the shell and all that it becomes. What the kernel enforces by itself comes at no cost; the
 * rest is watched from outside. Blocks of 512 bytes are what POSIX says, and what every `sh` takes.
 *
 * The number of processes is no more than a backstop here: the kernel counts threads, on older systems those of the
 * person's other programs too, and does not hold root to it.
 */
export function limitsPrelude(limits: Limits): string {
  const { threads, fileBytes } = kernelLimits(limits);
  return [
    "ulimit -c 0",
    `ulimit -f ${fileBytes / 512}`,
    // One name in bash, another one in dash; a lower limit that is there already stays.
    `{ ulimit -u ${threads} || ulimit -p ${threads} || :; } 2>/dev/null`,
  ].join("; ");
}

/** What the kernel holds every process to; `fileBytes` in whole blocks of 512 bytes. */
export function kernelLimits(limits: Limits): { readonly threads: number; readonly fileBytes: number } {
  return {
    threads: limits.processes * THREADS_PER_PROCESS + (countsOthers() ? 4096 : 0),
    fileBytes: Math.max(1, Math.floor(limits.fileBytes / 512)) * 512,
  };
}

/** Before Linux 5.14 a limit of a user namespace was one of the user on the whole machine. */
function countsOthers(): boolean {
  const [major = 0, minor = 0] = release().split(".").map(Number);
  return major < 5 || (major === 5 && minor < 14);
}

function bytesInWords(bytes: number): string {
  const units = ["bytes", "KB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${Number(value.toFixed(1))} ${units[unit]}`;
}
