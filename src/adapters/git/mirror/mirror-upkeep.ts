import { existsSync, lstatSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Millis } from "../../../core/ids.ts";
import type { RepositoryGit } from "../../../ports/git.ts";

/** As git's own `gc.auto` and `gc.autoPackLimit`. */
const MOST: UpkeepLimits = { loose: 6_700, packs: 50 };
/** Far longer than a fetch, or whatever else was killed over it, may take. */
const ABANDONED_MS = 24 * 3_600_000;

/** What a mirror is called while another takes its place. */
const REPLACED = /^\.[0-9a-f]{8}\.(?:new|old)$/;

export type UpkeepLimits = { readonly loose: number; readonly packs: number };

/** What can be told of a mirror without asking git. */
export type MirrorState = {
  readonly bornAt: Millis;
  /** When the last object was written or fetched. */
  readonly touchedAt: Millis;
  /** When somebody opened it last. It says nothing about age: every mirror is opened once a minute, only to be looked at. */
  readonly openedAt: Millis;
  readonly hasTrees: boolean;
  readonly isEmpty: boolean;
};

/** Another one when the mirror was made anew: whatever was known about it counts no more. null: there is no mirror. */
export function mirrorIdentity(path: string): string | null {
  const folder = statOf(path);
  const head = statOf(join(path, "HEAD"));
  return folder?.isDirectory() && head ? `${folder.ino}/${head.mtimeMs}` : null;
}

/**
 * Leaves a mark for whoever is about to remove the mirror. Only a look at `mirrorIdentity` that comes after it tells whether the
 * mirror is still the one that was opened.
 */
export function markMirrorOpened(path: string): void {
  const before = statOf(path)?.mtimeMs ?? 0;
  // Another time than the one before, also within a millisecond.
  const now = Math.max(Date.now(), Math.round(before) + 1) / 1000;
  try {
    utimesSync(path, now, now);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

/** null: there is no mirror. */
export function lookAtMirror(path: string): MirrorState | null {
  const folder = statOf(path);
  const head = statOf(join(path, "HEAD"));
  if (!folder?.isDirectory() || !head) return null;
  const objects = join(path, "objects");
  const folders = namesIn(objects);
  const places = [objects, ...folders.map((name) => join(objects, name))];
  return {
    bornAt: head.mtimeMs,
    touchedAt: Math.max(...places.map((place) => statOf(place)?.mtimeMs ?? 0)),
    openedAt: folder.mtimeMs,
    hasTrees: namesIn(join(path, "worktrees")).length > 0,
    isEmpty: folders.every((name) => name === "info" || name === "pack") && countPacks(objects) === 0,
  };
}

/**
 * Puts loose objects and small packs together once there are many. Nothing is lost by it, whether any ref reaches it or not:
 * commits that no ref names yet are what Loom is working on. Each pack stays twice as large as all that are smaller, so
 * that large ones are rarely written again. `git gc` was rejected: it decides by refs what is needed.
 */
export async function packMirror(git: RepositoryGit, most: UpkeepLimits = MOST): Promise<"packed" | "few"> {
  const { objectsDir } = git.repository;
  if (countLoose(objectsDir) <= most.loose && countPacks(objectsDir) <= most.packs) return "few";
  await git.trusted({ command: "repack", options: ["-d", "-n", "-q", "--geometric=2"] });
  return "packed";
}

/** What a git or a Loom that was killed left beside and in a mirror. */
export async function clearMirrorLeftovers(path: string, now: Millis): Promise<void> {
  const isAbandoned = (file: string): boolean => now - (statOf(file)?.mtimeMs ?? now) > ABANDONED_MS;
  const replaced = (name: string): boolean =>
    name.startsWith(`${basename(path)}.`) && REPLACED.test(name.slice(basename(path).length));
  for (const name of namesIn(dirname(path)).filter(replaced)) {
    const left = join(dirname(path), name);
    if (isAbandoned(left)) await rm(left, { recursive: true, force: true });
  }
  if (!statOf(path)?.isDirectory()) return;
  for (const folder of namesIn(join(path, "objects"))) {
    for (const name of namesIn(join(path, "objects", folder)).filter((one) => /^\.?tmp[-_]/.test(one))) {
      const left = join(path, "objects", folder, name);
      if (isAbandoned(left)) rmSync(left, { recursive: true, force: true });
    }
  }
}

/** Estimated as git does, by one of the 256 folders: their names are spread evenly. */
function countLoose(objectsDir: string): number {
  return namesIn(join(objectsDir, "17")).filter((name) => /^[0-9a-f]{38,}$/.test(name)).length * 256;
}

function countPacks(objectsDir: string): number {
  return namesIn(join(objectsDir, "pack")).filter((name) => name.endsWith(".pack")).length;
}

function namesIn(folder: string): string[] {
  return existsSync(folder) && statOf(folder)?.isDirectory() ? readdirSync(folder) : [];
}

function statOf(path: string) {
  return lstatSync(path, { throwIfNoEntry: false });
}
