import { existsSync, lstatSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { rmdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Millis, Sha } from "../../../core/ids.ts";
import type { RepositoryGit } from "../../../ports/git.ts";
import { withFileLock } from "../../os/file-lock.ts";
import { readTrimmed } from "../../os/read-trimmed.ts";
import { checkedSha } from "../objects/object-reader.ts";
import { makeFolder } from "./make-folder.ts";
import { removeTree } from "./remove-strangers.ts";
import { NOTHING_PROVED, removeSlot, type Slot, workTreesLock } from "./slot.ts";

/**
 * The work trees of one run. Making one costs a git process and all files, so they are kept and lent again. What an
 * earlier process left in the same folder is taken over, so that a crash leaves nothing behind for good.
 */
export type Slots = {
  /** A free slot, or a new one; it counts as lent. */
  take(commit: Sha): Promise<Slot>;
  find(path: string): Slot | null;
  /** The slot is free again. */
  putBack(slot: Slot): void;
  /** Takes away those that are free and that nobody has used for so long; those of a killed process count from when they were found. */
  removeUnused(forMs: Millis): Promise<void>;
  /** Never lent again; removed at the end. */
  retire(slot: Slot): void;
  removeAll(): Promise<void>;
};

const ATTEMPTS = 3;

export function createSlots(git: RepositoryGit, treesRoot: string, now: () => Millis = Date.now): Slots {
  const { commonDir } = git.repository;
  let root: string | null = null;
  let slots: Slot[] = [];
  let retired: Slot[] = [];
  let counter = 0;
  const usedAt = new WeakMap<Slot, Millis>();
  // Two `git worktree add` at a time on one repository fail, each reading what the other has half written. The queue is
  // for this process, the lock for others that use the same repository.
  let queue: Promise<unknown> = Promise.resolve();

  function slotFor(path: string, metadata: string): Slot {
    const index = indexOf(commonDir, metadata);
    const slot = { path, metadata, index, lent: false, fresh: false, indexed: null, proved: NOTHING_PROVED };
    usedAt.set(slot, now());
    return slot;
  }

  function ready(): string {
    if (root !== null) return root;
    // What a link leads to is not Loom's to write to, and even less to clear up.
    if (lstatSync(treesRoot, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(treesRoot, { force: true });
    makeFolder(treesRoot);
    root = realpathSync(treesRoot);
    slots = adopt(root, commonDir).map(({ path, metadata }) => slotFor(path, metadata));
    return root;
  }

  async function make(commit: Sha): Promise<Slot> {
    const path = nextPath(ready());
    for (let attempt = 1; ; attempt += 1) {
      try {
        await withFileLock(workTreesLock(commonDir), () =>
          git.refs({
            command: "worktree add",
            options: ["--detach", "--no-checkout"],
            values: [path, checkedSha(commit)],
          }),
        );
        break;
      } catch (error) {
        if (attempt === ATTEMPTS) throw error;
        await removeTree(path);
      }
    }
    const metadata = pointedTo(path);
    if (metadata === null) throw new Error(`failed to find what git keeps about the work tree ${path}`);
    const slot = Object.assign(slotFor(path, metadata), { lent: true, fresh: true });
    slots.push(slot);
    return slot;
  }

  function nextPath(folder: string): string {
    for (;;) {
      counter += 1;
      const path = join(folder, String(counter));
      if (!existsSync(path)) return path;
    }
  }

  return {
    async take(commit) {
      ready();
      const free = slots.filter((slot) => !slot.lent);
      const best = free.find((slot) => slot.indexed === commit) ?? free.at(-1);
      if (best) {
        best.lent = true;
        return best;
      }
      const made = queue.then(() => make(commit));
      queue = made.catch(() => undefined);
      return made;
    },
    find(path) {
      ready();
      return slots.find((slot) => slot.path === path) ?? null;
    },
    putBack(slot) {
      slot.lent = false;
      usedAt.set(slot, now());
    },
    async removeUnused(forMs) {
      if (root === null && !existsSync(treesRoot)) return;
      const folder = ready();
      const isUnused = (slot: Slot): boolean => !slot.lent && now() - (usedAt.get(slot) ?? 0) >= forMs;
      const doomed = [...slots.filter(isUnused), ...retired];
      // Before anything else happens, or one of them might be lent meanwhile.
      slots = slots.filter((slot) => !doomed.includes(slot));
      retired = [];
      for (const slot of doomed) await removeSlot(git, slot);
      // Only an empty one goes. Whoever is about to make a tree there makes the folder anew.
      if (doomed.length > 0 || slots.length === 0) await rmdir(folder).catch(() => undefined);
    },
    retire(slot) {
      slots = slots.filter((one) => one !== slot);
      retired.push(slot);
    },
    async removeAll() {
      // Whoever only looked at commits may never have had a place for trees.
      if (root === null && !canMake(treesRoot)) return;
      const folder = ready();
      await queue;
      for (const slot of [...slots, ...retired]) await removeSlot(git, slot);
      slots = [];
      retired = [];
      await removeTree(folder);
      // Stays while trees of others stand in it; whoever is about to make one there makes it anew.
      await rmdir(dirname(folder)).catch(() => undefined);
    },
  };
}

/**
 * Slots that stand in the folder already. The pointer inside a slot may be an agent's work, so git's own list decides;
 * what is not on it is no work tree any more.
 */
function adopt(root: string, commonDir: string): { path: string; metadata: string }[] {
  const worktrees = join(commonDir, "worktrees");
  const found: { path: string; metadata: string }[] = [];
  for (const id of namesIn(worktrees)) {
    const metadata = join(worktrees, id);
    const pointer = readTrimmed(join(metadata, "gitdir"));
    const path = pointer === null ? "" : dirname(pointer);
    if (dirname(path) !== root || !/^\d+$/.test(path.slice(root.length + 1))) continue;
    if (isFolder(path)) found.push({ path, metadata });
    else {
      rmSync(indexOf(commonDir, metadata), { force: true });
      rmSync(metadata, { recursive: true, force: true });
    }
  }
  return found;
}

function canMake(folder: string): boolean {
  try {
    makeFolder(folder);
    return true;
  } catch {
    return false;
  }
}

/** In no folder of indexes: whoever ends last would have to take it away, just when another begins to need it. */
function indexOf(commonDir: string, metadata: string): string {
  return join(commonDir, "loom", `index-${basename(metadata)}`);
}

/** None where there is no folder: git takes it away with its last work tree, which may be another process's just now. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

function pointedTo(path: string): string | null {
  return readTrimmed(join(path, ".git"))?.replace(/^gitdir: /, "") ?? null;
}

/** Unlike elsewhere, one that can't be looked at is trouble, and not passed over. */
function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
