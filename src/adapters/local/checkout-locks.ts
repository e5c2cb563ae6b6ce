import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Sha } from "../../core/ids.ts";
import type { RefMove, Repository } from "../../ports/git.ts";
import { type Checkout, linkedWorkTrees } from "./checkout-find.ts";

/**
 * Removes lock files that a killed git left, so that a run can go on by itself after everything was killed. Only called
 * when Loom's journal shows that it died in the middle of moving this branch, and only when no git is at work in the
 * repository: a lock is no proof by its age, `git commit` keeps one while a person writes the message.
 */
export function removeStaleLocks(commonDir: string, checkout: Checkout, branch: string): void {
  const locks = [
    join(checkout.gitDir, "index.lock"),
    join(checkout.gitDir, "HEAD.lock"),
    join(commonDir, "refs", "heads", `${branch}.lock`),
    join(commonDir, "packed-refs.lock"),
  ].filter((lock) => existsSync(lock));
  if (locks.length === 0 || isGitAtWork(foldersOf({ commonDir, root: checkout.workTree }))) return;
  for (const lock of locks) rmSync(lock, { force: true });
}

/** Long enough that nobody alive is still at it: a ref is locked for milliseconds. */
const LEFT_FOR_MS = 1_000;

/**
 * Removes the locks of a Loom that was killed while it moved refs. They hold what it was about to write, a commit of its own, or
 * nothing yet, which tells them from those of others. True when locks were removed.
 */
export function removeLeftLocks(repository: RefHome, moves: readonly RefMove[]): boolean {
  const left = moves.flatMap(({ ref, to }) => {
    const lock = join(repository.commonDir, `${ref}.lock`);
    return isLeft(lock, to) ? [lock] : [];
  });
  if (left.length === 0 || isGitAtWork(foldersOf(repository))) return false;
  for (const lock of left) rmSync(lock, { force: true });
  return true;
}

type RefHome = Pick<Repository, "commonDir" | "root">;

function isLeft(lock: string, to: Sha): boolean {
  try {
    const state = lstatSync(lock);
    if (!state.isFile() || Date.now() - state.mtimeMs < LEFT_FOR_MS) return false;
    const text = readFileSync(lock, "utf8");
    return text === "" || text === `${to}\n`;
  } catch {
    // Gone meanwhile, or never there.
    return false;
  }
}

/** Where somebody can be who works with the repository, linked work trees included. */
function foldersOf({ commonDir, root }: RefHome): string[] {
  return [
    commonDir,
    commonDir.replace(/\/\.git$/, ""),
    ...(root === null ? [] : [root]),
    ...linkedWorkTrees(commonDir).flatMap((metadata) => {
      try {
        return [dirname(readFileSync(join(metadata, "gitdir"), "utf8").trimEnd())];
      } catch {
        return [];
      }
    }),
  ];
}

/** The processes that Loom asks about objects and diffs stay for a while, and lock nothing. */
const READING = /\0(?:cat-file\0--batch-command|diff-tree\0--stdin)\0/;

function isGitAtWork(folders: readonly string[]): boolean {
  let processes: string[];
  try {
    processes = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    // No way to tell on this system.
    return true;
  }
  return processes.some((pid) => {
    try {
      if (!/^git(?:-|$)/.test(readFileSync(`/proc/${pid}/comm`, "utf8").trim())) return false;
      if (READING.test(readFileSync(`/proc/${pid}/cmdline`, "utf8"))) return false;
      const cwd = readlinkSync(`/proc/${pid}/cwd`);
      return folders.some((folder) => cwd === folder || cwd.startsWith(`${folder}/`));
    } catch {
      return false;
    }
  });
}
