import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import type { Limits } from "../../../../ports/sandbox.ts";
import { freeBytes, heldBytes, writtenBytes } from "./disk-use.ts";
import { type GroupMemory, wasMemoryLimitReached } from "./group-memory.ts";
import { describeLimit, type Limit } from "./limits.ts";
import { descendants, type ProcessRow, proportionalBytes, readProcessTable } from "./process-table.ts";
import { scratchBytes } from "./scratch-use.ts";

export type WatchedSandbox = {
  readonly limits: Limits;
  /** What its programs can write to. */
  readonly folders: readonly string[];
  /** Where the kernel holds it to its memory; null: nowhere. */
  readonly memory: GroupMemory | null;
  /** Programs of the sandbox that run; all that they start descends from them. */
  pids(): readonly number[];
  /** Called once, with the sentence for people. */
  onExceeded(sentence: string, limit: Limit | null): void;
};

export type LimitLoop = {
  watch(sandbox: WatchedSandbox): Watching;
};

export type Watching = {
  /** Looks at what the kernel did by itself, which it may have done a moment ago. */
  lookAtKernel(): void;
  end(): void;
};

const PULSE_MS = 20;
const LOOK_MS = 250;
const SUDDEN_THREADS = 64;
const LARGEST = 24;
const SELDOM_MS = 30_000;

/**
 * Looks at all sandboxes together, a few times a second and at most one part in fifty of the time. Between two looks a
 * program can take more than it may, so this keeps a machine well and does not measure to the byte.
 *
 * A program that multiplies without end makes each look dearer and leaves less time for it, so it has to be met early:
 * in between, two small files of the kernel tell how many threads there are and how much memory is left on the whole
 * machine, and when either changes much, the next look comes at once.
 *
 * Memory: the sum of what is resident counts shared pages several times. It is cheap and never too small, so only
 * when it is above the limit the largest processes are asked for their proportional share. What lies in the sandbox's folders
 * in memory comes on top. Where the kernel holds a sandbox to its memory, it also counts what no process holds; whom it ended
 * for that is asked of it, since its own count says nothing: what it keeps of files is in it.
 *
 * Disk: the free space of the file system is asked at each look. Only when it has shrunk by an eighth of what the sandbox
 * may write, and once in a while since others may have freed as much, the folders are gone through. Files that were
 * deleted but are still open, and files in memory that have no name, are found at their holders.
 */
export function watchLimits(): LimitLoop {
  const watches = new Set<Watch>();
  let timer: NodeJS.Timeout | null = null;
  let lookAt = 0;
  let seen = readVitals();

  const pulse = (): void => {
    const busy = [...watches].filter(({ sandbox }) => sandbox.pids().length > 0);
    if (busy.length === 0) {
      seen = readVitals();
      return;
    }
    const began = performance.now();
    const now = readVitals();
    const smallest = Math.min(...busy.map(({ sandbox }) => sandbox.limits.memoryBytes));
    const isSudden =
      now.threads - seen.threads > SUDDEN_THREADS || seen.availableBytes - now.availableBytes > smallest / 8;
    if (began < lookAt && !isSudden) return;
    seen = now;
    const rows = readProcessTable();
    for (const watch of busy) watch.look(descendants(rows, watch.sandbox.pids()), now.sharedBytes);
    const ended = performance.now();
    lookAt = ended + Math.max(LOOK_MS, 50 * (ended - began));
  };

  return {
    watch(sandbox) {
      const watch = createWatch(sandbox, () => watches.delete(watch));
      watches.add(watch);
      timer ??= setInterval(pulse, PULSE_MS).unref();
      return {
        lookAtKernel: () => watch.lookAtKernel(),
        end() {
          watches.delete(watch);
          watch.end();
          if (watches.size > 0 || !timer) return;
          clearInterval(timer);
          timer = null;
        },
      };
    },
  };
}

type Watch = Watching & {
  readonly sandbox: WatchedSandbox;
  look(rows: readonly ProcessRow[], sharedMemory: number): void;
};

function createWatch(sandbox: WatchedSandbox, onOver: () => void): Watch {
  const { limits, folders } = sandbox;
  const since = Date.now();
  const sharedAtFirst = readVitals().sharedBytes;
  const most = freeBytes(folders);
  let free = most;
  let measureAt = performance.now() + SELDOM_MS;
  let over = false;

  const exceed = (limit: Limit): void => {
    if (over) return;
    over = true;
    onOver();
    sandbox.onExceeded(describeLimit(limit, limits), limit);
  };

  const usesTooMuchMemory = (rows: readonly ProcessRow[], sharedMemory: number): boolean => {
    const pids = rows.map(({ pid }) => pid);
    const scratch = scratchBytes(pids);
    let resident = 0;
    for (const row of rows) resident += row.residentBytes;
    if (scratch > limits.memoryBytes) return true;
    if (resident + scratch > limits.memoryBytes && shareOf(rows) + scratch > limits.memoryBytes) return true;
    if (resident + sharedMemory - sharedAtFirst <= limits.memoryBytes) return false;
    return heldBytes(pids).memory + resident > limits.memoryBytes;
  };

  const measure = async (rows: readonly ProcessRow[]): Promise<void> => {
    const began = performance.now();
    measureAt = Number.POSITIVE_INFINITY;
    try {
      const held = heldBytes(rows.map(({ pid }) => pid)).disk;
      const written = await writtenBytes(folders, since, limits.diskBytes - held, () => over);
      // What can't be seen may be anything up to what the disk has lost meanwhile.
      const isLost = written.isPartial && most - freeBytes(folders) > limits.diskBytes;
      if (held + written.bytes > limits.diskBytes || isLost) exceed("disk");
    } finally {
      const now = performance.now();
      measureAt = now + Math.max(SELDOM_MS, 100 * (now - began));
    }
  };

  const wasHeldByKernel = (): boolean => sandbox.memory !== null && wasMemoryLimitReached(sandbox.memory);

  return {
    sandbox,
    lookAtKernel() {
      if (!over && wasHeldByKernel()) exceed("memory");
    },
    look(rows, sharedMemory) {
      if (rows.length > limits.processes) return exceed("processes");
      if (wasHeldByKernel() || usesTooMuchMemory(rows, sharedMemory)) return exceed("memory");
      const now = freeBytes(folders);
      // What was freed on the machine meanwhile must not hide what is written later.
      free = Math.max(free, now);
      const isFilling = free - now >= Math.min(limits.diskBytes / 8, now);
      if (measureAt === Number.POSITIVE_INFINITY || (!isFilling && performance.now() < measureAt)) return;
      free = now;
      // Whatever is odd about one sandbox's files must not end the watch over all the others.
      measure(rows).catch(() => {});
    },
    end() {
      over = true;
    },
  };
}

function shareOf(rows: readonly ProcessRow[]): number {
  const bySize = [...rows].sort((a, b) => b.residentBytes - a.residentBytes);
  let sum = 0;
  for (const row of bySize.slice(0, LARGEST)) sum += proportionalBytes(row.pid) ?? row.residentBytes;
  return sum;
}

type Vitals = { readonly threads: number; readonly availableBytes: number; readonly sharedBytes: number };

/** Of the whole machine. What is in memory behind files (shared) the kernel counts for all programs together only. */
function readVitals(): Vitals {
  const load = readSmall("/proc/loadavg");
  const memory = readSmall("/proc/meminfo");
  const kilobytes = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(memory)?.[1] ?? 0);
  return {
    threads: Number(/\/(\d+) /.exec(load)?.[1] ?? 0),
    availableBytes: kilobytes("MemAvailable") * 1024,
    sharedBytes: kilobytes("Shmem") * 1024,
  };
}

function readSmall(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
