import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";

/**
 * The kernel's own limit on the memory of all programs of a sandbox together. It also sees what no process holds: segments of
 * shared memory that nobody is attached to, and what lies in sockets and pipes.
 *
 * What the kernel keeps of files counts, too, but it gives that up before it ends anybody. So a group that is near its
 * limit says nothing; only that somebody was ended for it does.
 */
export type GroupMemory = {
  readonly folder: string;
  /** One tree for all controllers (cgroup v2), or one for each. */
  readonly isUnified: boolean;
};

/** Data in sockets of the internet's protocols has a limit of its own in a tree for memory alone, and comes on top. */
const SHARE_OF_SOCKETS = 1 / 8;
/** Who never came this close to the limit was ended for another one: that of the machine, or the operator's for Loom. */
const CLOSE = 7 / 8;
const SETTLE_MS = 2000;
const LOOK_MS = 10;
const MUCH = 1 / 16;

/** In a tree for memory alone (cgroup v1). Below a group that does not count its children, the operator's limits would end. */
export function limitMemoryBelow(folder: string, bytes: number): GroupMemory | null {
  if (read(join(dirname(folder), "memory.use_hierarchy")).trim() === "0") return null;
  const set = (file: string, value: number): boolean => write(join(folder, file), value);
  if (!set("memory.limit_in_bytes", bytes)) return null;
  // Children inherit it where the operator keeps the kernel from ending Loom, and would stand still at their limit.
  set("memory.oom_control", 0);
  set("memory.memsw.limit_in_bytes", bytes);
  set("memory.kmem.tcp.limit_in_bytes", Math.floor(bytes * SHARE_OF_SOCKETS));
  return { folder, isUnified: false };
}

/** In the one tree for all controllers (cgroup v2). `own` is Loom's group. */
export function limitMemoryBeside(folder: string, own: string, bytes: number): GroupMemory | null {
  const parent = dirname(folder);
  if (!words(join(parent, "cgroup.controllers")).includes("memory") || leavesLimit(own, parent)) return null;
  enableController(parent, "memory");
  if (!write(join(folder, "memory.max"), bytes)) return null;
  write(join(folder, "memory.swap.max"), 0);
  write(join(folder, "memory.oom.group"), 1);
  return { folder, isUnified: true };
}

/** For the children of a group. */
export function enableController(parent: string, controller: "memory" | "pids"): void {
  const file = join(parent, "cgroup.subtree_control");
  if (!words(file).includes(controller)) write(file, `+${controller}`);
}

/** Whether a group of this parent lies outside of a limit that somebody set for Loom. */
function leavesLimit(own: string, parent: string): boolean {
  if (own !== parent && !own.startsWith(`${parent}/`)) return true;
  for (let group = own; group !== parent; group = dirname(group)) {
    // A group that can't be seen from here may have any limit.
    if (!existsSync(group)) return true;
    const limits = ["memory.max", "memory.high"].map((file) => read(join(group, file)).trim());
    if (limits.some((limit) => limit !== "" && limit !== "max")) return true;
  }
  return false;
}

/** Whether the kernel ended a program because the group was at its limit. */
export function wasMemoryLimitReached({ folder, isUnified }: GroupMemory): boolean {
  if (isUnified) {
    const events = read(join(folder, "memory.events"));
    return counterIn(events, "oom_kill") > 0 && counterIn(events, "oom") > 0;
  }
  if (counterIn(read(join(folder, "memory.oom_control")), "oom_kill") === 0) return false;
  const [most, limit] = ["memory.max_usage_in_bytes", "memory.limit_in_bytes"].map((file) =>
    Number(read(join(folder, file))),
  );
  return (most ?? 0) >= (limit ?? 0) * CLOSE;
}

/**
 * The kernel takes folders in memory and shared segments of a program that ended away a little later, and the next
 * program of the sandbox must not pay for them. Waits while nobody is in the group and it holds much.
 */
export async function settleMemory(memory: GroupMemory, limitBytes: number): Promise<void> {
  const until = performance.now() + SETTLE_MS;
  const much = limitBytes * MUCH;
  while (sharedBytes(memory, much) > much && performance.now() < until) {
    if (read(join(memory.folder, "cgroup.procs")) !== "") return;
    await delay(LOOK_MS);
  }
}

/** 0 where all that the group has is not more than `little`, which is cheaper to ask for. */
function sharedBytes({ folder, isUnified }: GroupMemory, little: number): number {
  const all = Number(read(join(folder, isUnified ? "memory.current" : "memory.usage_in_bytes")));
  return all <= little ? 0 : counterIn(read(join(folder, "memory.stat")), "shmem");
}

function counterIn(table: string, name: string): number {
  return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(table)?.[1] ?? 0);
}

function words(path: string): string[] {
  return read(path).trim().split(/\s+/);
}

function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

function write(path: string, value: number | string): boolean {
  try {
    writeFileSync(path, String(value));
    return true;
  } catch {
    return false;
  }
}
