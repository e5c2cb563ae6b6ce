import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Repository } from "../../ports/git.ts";
import type { Checkout } from "./checkout-find.ts";

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
  if (locks.length === 0 || isGitAtWork([commonDir, checkout.workTree])) return;
  for (const lock of locks) rmSync(lock, { force: true });
}

/**
 * Likewise for refs of Loom's own, which only the one that drives the run writes. True when there was something to remove.
 */
export function removeLeftLocks(
  { commonDir, root }: Pick<Repository, "commonDir" | "root">,
  refs: readonly string[],
): boolean {
  const locks = refs.map((ref) => join(commonDir, `${ref}.lock`)).filter((lock) => existsSync(lock));
  if (locks.length === 0 || isGitAtWork([commonDir, ...(root === null ? [] : [root])])) return false;
  for (const lock of locks) rmSync(lock, { force: true });
  return true;
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
