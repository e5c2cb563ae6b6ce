import { createHash } from "node:crypto";
import { lstatSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Millis } from "../../../core/ids.ts";
import { withFileLock } from "../../os/file-lock.ts";
import { foldersIn } from "../../os/folders-in.ts";
import { readTrimmed } from "../../os/read-trimmed.ts";
import { removeTree } from "./remove-strangers.ts";
import { workTreesLock } from "./slot.ts";

/** Trees of one run, or of one task, of some repository of this machine. */
export type TreesFound = {
  readonly path: string;
  /** Of the run or the task. */
  readonly name: string;
  /** The git directory of their repository; null: it is not there any more, or nobody can tell which it was. */
  readonly commonDir: string | null;
  readonly usedAt: Millis;
};

/** One folder per repository, the same for all its checkouts. */
export function treesName(commonDir: string): string {
  return createHash("sha256").update(commonDir).digest("hex").slice(0, 16);
}

/** All trees that stand in the cache, but for those of the repository `except`. What a link leads to is not in it. */
export function findTrees(root: string, except: string): TreesFound[] {
  return foldersIn(root)
    .filter((name) => /^[0-9a-f]{16}$/.test(name) && name !== except)
    .flatMap((repository) =>
      foldersIn(join(root, repository))
        .map((name) => join(root, repository, name))
        .filter(holdsSlots)
        .map((path) => describe(path, repository)),
    );
}

/** Takes them away, and what git and Loom know about them where their repository still is. */
export async function removeTrees({
  path,
  commonDir,
}: Pick<TreesFound, "path" | "commonDir">): Promise<void> {
  const slots = slotsIn(path);
  const metadata = commonDir === null ? [] : slots.flatMap((slot) => metadataOf(slot, commonDir));
  await removeTree(path);
  if (commonDir !== null && metadata.length > 0) {
    await withFileLock(workTreesLock(commonDir), async () => {
      for (const one of metadata) {
        rmSync(join(commonDir, "loom", `index-${basename(one)}`), { force: true });
        rmSync(one, { recursive: true, force: true });
      }
    });
  }
  try {
    rmdirSync(dirname(path));
  } catch {
    // Others stand in it.
  }
}

/** Nothing else: people choose where trees stand, and what else stands there is theirs. */
function holdsSlots(path: string): boolean {
  return readdirSync(path, { withFileTypes: true }).every(
    (entry) => entry.isDirectory() && /^\d+$/.test(entry.name),
  );
}

function describe(path: string, repository: string): TreesFound {
  const pointers = slotsIn(path).flatMap((slot) => pointerOf(slot) ?? []);
  // An agent may have written the pointer; the name of the folder it could not choose.
  const commonDir = pointers
    .map((pointer) => dirname(dirname(pointer)))
    .find((folder) => treesName(folder) === repository && modifiedAt(folder) > 0);
  return {
    path,
    name: basename(path),
    commonDir: commonDir ?? null,
    usedAt: lastUseOf(path),
  };
}

/** Of the trees of one run. 0 when they are gone. */
export function lastUseOf(path: string): Millis {
  return Math.max(...[path, ...slotsIn(path)].map(modifiedAt));
}

function slotsIn(path: string): string[] {
  return foldersIn(dirname(path), basename(path)).map((name) => join(path, name));
}

/** What git keeps about a tree, by its own word: the pointer in the tree may lead anywhere. */
function metadataOf(slot: string, commonDir: string): string[] {
  const pointer = pointerOf(slot);
  if (pointer === null || pointer !== join(commonDir, "worktrees", basename(pointer))) return [];
  return readTrimmed(join(pointer, "gitdir")) === join(slot, ".git") ? [pointer] : [];
}

function pointerOf(slot: string): string | null {
  const file = join(slot, ".git");
  if (!lstatSync(file, { throwIfNoEntry: false })?.isFile()) return null;
  return /^gitdir: (\/.+)$/.exec(readTrimmed(file) ?? "")?.[1] ?? null;
}

/** 0 when there is no such folder. */
function modifiedAt(folder: string): Millis {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  return found?.isDirectory() ? found.mtimeMs : 0;
}
