import { randomBytes } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Limits } from "../../../../ports/sandbox.ts";
import { enableController, type GroupMemory, limitMemoryBelow, limitMemoryBeside } from "./group-memory.ts";
import { THREADS_PER_PROCESS } from "./limits.ts";

/**
 * The kernel's own limits on the number of processes and on memory, where Loom may set them: as root on most machines.
 * RLIMIT_NPROC does not bind root, and whoever only counts from outside comes too late for a fork bomb: within a second one
 * took every process number of a machine. Where no group can be made, counting has to do. It goes on beside the groups,
 * since it mostly sees an excess before the kernel has to act.
 */
export type ControlGroup = {
  /** One for both limits, or one for each. */
  readonly folders: readonly string[];
  /** Words before a program that put it, and all that it starts, into the group. */
  readonly enter: readonly string[];
  /** null where memory is only counted. */
  readonly memory: GroupMemory | null;
  /** Once nobody is in it any more. */
  remove(): Promise<void>;
};

/** Where the kernel shows its groups, and the file that tells which ones are Loom's own. */
export type GroupTree = { readonly root: string; readonly own: string };

const TREE: GroupTree = { root: "/sys/fs/cgroup", own: "/proc/self/cgroup" };

/**
 * One shell enters all groups and becomes the program. An operator may keep the kernel from ending Loom for want of
 * memory; a sandbox where nobody can be ended would stand still at its limit.
 */
const ENTER = [
  'until [ "$1" = -- ]; do echo $$ > "$1/cgroup.procs"; shift; done; shift',
  "{ read loom_score < /proc/self/oom_score_adj; [ $loom_score -ge 0 ] || echo 0 > /proc/self/oom_score_adj; } 2>/dev/null",
  "unset loom_score",
  'exec "$@"',
].join("; ");

/** null where no group can be made. */
export function createControlGroup(
  limits: Pick<Limits, "processes" | "memoryBytes">,
  tree: GroupTree = TREE,
): ControlGroup | null {
  const name = `loom-${process.pid}-${randomBytes(6).toString("hex")}`;
  // The kernel counts threads.
  const most = String(limits.processes * THREADS_PER_PROCESS);
  const limitProcesses = (folder: string): boolean =>
    succeeds(() => writeFileSync(join(folder, "pids.max"), most));

  if (isUnified(tree)) {
    const own = ownGroup(tree, "");
    for (const parent of possibleParents(tree)) {
      enableController(parent, "pids");
      const folder = makeGroup(join(parent, name), (path) => limitProcesses(path) || null);
      if (folder) return groupAt([folder.path], limitMemoryBeside(folder.path, own, limits.memoryBytes));
    }
    return null;
  }
  const [pidsParent = "", memoryParent = ""] = possibleParents(tree);
  const pids = makeGroup(join(pidsParent, name), (path) => limitProcesses(path) || null);
  const memory = makeGroup(join(memoryParent, name), (path) => limitMemoryBelow(path, limits.memoryBytes));
  const folders = [pids, memory].flatMap((one) => (one ? [one.path] : []));
  return folders.length === 0 ? null : groupAt(folders, memory?.limit ?? null);
}

/** With its limit; null, and no folder, where that can't be set. */
function makeGroup<T>(path: string, limit: (path: string) => T | null): { path: string; limit: T } | null {
  if (!succeeds(() => mkdirSync(path))) return null;
  const set = limit(path);
  if (set !== null) return { path, limit: set };
  succeeds(() => rmdirSync(path));
  return null;
}

/** So long a new group may stand empty before its first program enters. */
const NEW_MS = 600_000;

/** Groups of a Loom that was killed. The kernel removes none that somebody is in. */
export function removeOldGroups(now: number, tree: GroupTree = TREE): void {
  for (const parent of possibleParents(tree)) {
    for (const name of list(parent)) {
      const pid = /^loom-(\d+)-[0-9a-f]{12}$/.exec(name)?.[1];
      if (pid === undefined || existsSync(`/proc/${pid}`)) continue;
      const folder = join(parent, name);
      // The number may be that of a Loom in another container.
      succeeds(() => now - statSync(folder).ctimeMs > NEW_MS && rmdirSync(folder));
    }
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

const REMOVE_TRIES = 50;
const REMOVE_MS = 20;

function groupAt(folders: readonly string[], memory: GroupMemory | null): ControlGroup {
  return {
    folders,
    enter: ["/bin/sh", "-c", ENTER, "sh", ...folders, "--"],
    memory,
    async remove() {
      for (const folder of folders) await removeGroup(folder);
    },
  };
}

/** A program that was ended with much memory may be seen in its group a moment longer than anywhere else. */
async function removeGroup(folder: string): Promise<void> {
  for (let tries = 0; tries < REMOVE_TRIES; tries += 1) {
    if (succeeds(() => rmdirSync(folder)) || !existsSync(folder)) return;
    await delay(REMOVE_MS);
  }
}

/** One tree for all controllers (cgroup v2). */
function isUnified({ root }: GroupTree): boolean {
  return existsSync(join(root, "cgroup.controllers"));
}

/**
 * Below Loom's own groups, for processes and for memory; or beside it: with one tree for all controllers, a group that has
 * processes can't have children.
 */
function possibleParents(tree: GroupTree): string[] {
  const { root } = tree;
  if (!isUnified(tree)) return ["pids", "memory"].map((controller) => ownGroup(tree, controller));
  const beside = join(ownGroup(tree, ""), "..");
  return [...new Set([beside, root])].filter((path) => path === root || path.startsWith(`${root}/`));
}

/** Loom's own group; that of no controller is the one for all. */
function ownGroup({ root, own }: GroupTree, controller: string): string {
  const lines = (read(own) ?? "").split("\n").map((line) => line.split(":"));
  const mine = lines.find(([, controllers = ""]) => controllers.split(",").includes(controller));
  return resolve(root, controller, `./${mine?.slice(2).join(":") ?? ""}`);
}

function read(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

function succeeds(act: () => unknown): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}
