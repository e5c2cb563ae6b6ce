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
import { join } from "node:path";
import type { Limits } from "../../../ports/room.ts";
import { THREADS_PER_PROCESS } from "./limits.ts";

/**
 * The kernel's own limit on the number of processes, where Loom may set one: as root on most machines. RLIMIT_NPROC does
 * not bind root, and whoever only counts from outside comes too late for a fork bomb: within a second one took every
 * process number of a machine. Where no group can be made, counting has to do. Memory is left to counting: a group of
 * Loom's own making might lie outside of the limits that its operator set for Loom.
 */
export type ControlGroup = {
  /** Words before a program that put it, and all that it starts, into the group. */
  readonly enter: readonly string[];
  /** Once nobody is in it any more. */
  remove(): void;
};

const ROOT = "/sys/fs/cgroup";
const ENTER = 'echo $$ > "$1/cgroup.procs"; shift; exec "$@"';

/** null where no group can be made. */
export function createControlGroup({ processes }: Pick<Limits, "processes">): ControlGroup | null {
  const name = `loom-${process.pid}-${randomBytes(6).toString("hex")}`;
  for (const parent of possibleParents()) {
    const folder = join(parent, name);
    if (!succeeds(() => mkdirSync(folder))) continue;
    // The kernel counts threads.
    const most = String(processes * THREADS_PER_PROCESS);
    if (succeeds(() => writeFileSync(join(folder, "pids.max"), most))) return groupAt(folder);
    succeeds(() => rmdirSync(folder));
  }
  return null;
}

/** So long a new group may stand empty before its first program enters. */
const NEW_MS = 600_000;

/** Groups of a Loom that was killed. The kernel removes none that somebody is in. */
export function removeOldGroups(now: number): void {
  for (const parent of possibleParents()) {
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

function groupAt(folder: string): ControlGroup {
  return {
    enter: ["/bin/sh", "-c", ENTER, "sh", folder],
    remove: () => void succeeds(() => rmdirSync(folder)),
  };
}

/** Below or beside Loom's own group: with one tree for all controllers, a group that has processes can't have children. */
function possibleParents(): string[] {
  const lines = (read("/proc/self/cgroup") ?? "").split("\n").map((line) => line.split(":"));
  const own = (isMine: (controllers: string) => boolean): string =>
    lines
      .find(([, controllers = ""]) => isMine(controllers))
      ?.slice(2)
      .join(":") || "/";
  if (read(join(ROOT, "cgroup.controllers")) === null)
    return [
      join(
        ROOT,
        "pids",
        own((controllers) => controllers.split(",").includes("pids")),
      ),
    ];
  const beside = join(
    ROOT,
    own((controllers) => controllers === ""),
    "..",
  );
  const parents = [...new Set([beside, ROOT])].filter((path) => path === ROOT || path.startsWith(`${ROOT}/`));
  for (const parent of parents)
    if (!(read(join(parent, "cgroup.subtree_control")) ?? "").includes("pids"))
      succeeds(() => writeFileSync(join(parent, "cgroup.subtree_control"), "+pids"));
  return parents;
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
