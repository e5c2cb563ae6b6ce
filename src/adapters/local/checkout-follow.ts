import { lstatSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { FilteredFile } from "../../core/config/settings/refused-setting.ts";
import type { Sha } from "../../core/ids.ts";
import type { RepositoryGit } from "../../ports/git.ts";
import type { Checkout } from "./checkout-find.ts";
import { filteredFiles } from "./filtered-files.ts";

/**
 * A checkout of the target follows it, as after a `git pull`: files that the merge touches are brought forward, local
 * changes to others stay. `read-tree -m -u` checks everything before it touches anything, and doing it twice does no
 * harm.
 */
export type Step = { readonly from: Sha; readonly to: Sha };

/** Why a checkout can't follow. */
export type Obstacle =
  | { readonly kind: "files"; readonly files: readonly string[] }
  | { readonly kind: "git"; readonly message: string }
  | { readonly kind: "filter"; readonly files: readonly [FilteredFile, ...FilteredFile[]] };

/** What of the person's would be lost if the checkout followed now; null when nothing is. */
export async function findObstacle(
  git: RepositoryGit,
  checkout: Checkout,
  step: Step,
): Promise<Obstacle | null> {
  const filtered = await behindFilters(git, checkout, step);
  if (filtered) return filtered;
  const [trouble, untracked] = await Promise.all([
    readTreeTwice(git, checkout, step, ["-n"]),
    untrackedInTheWay(git, checkout, step),
  ]);
  if (trouble === null) return untracked.length > 0 ? { kind: "files", files: untracked } : null;
  return explain(git, checkout, step, trouble, untracked);
}

/** Brings the checkout forward; null when that is done. */
export async function follow(git: RepositoryGit, checkout: Checkout, step: Step): Promise<Obstacle | null> {
  // Asked again: what is left from a process that died was judged by the settings of that time.
  const filtered = await behindFilters(git, checkout, step);
  if (filtered) return filtered;
  const trouble = await readTreeTwice(git, checkout, step, []);
  return trouble === null ? null : explain(git, checkout, step, trouble, []);
}

async function behindFilters(git: RepositoryGit, checkout: Checkout, step: Step): Promise<Obstacle | null> {
  const [first, ...others] = await filteredFiles(git, checkout, step);
  return first === undefined ? null : { kind: "filter", files: [first, ...others] };
}

/** A file that was only touched looks changed until git has compared its content. */
async function readTreeTwice(
  git: RepositoryGit,
  checkout: Checkout,
  step: Step,
  options: readonly string[],
): Promise<string | null> {
  if ((await readTree(git, checkout, step, options)) === null) return null;
  await refresh(git, checkout);
  return readTree(git, checkout, step, options);
}

/** An editor that shows the state of files locks the index many times a day, each time for a moment. */
const LOCK_PATIENCE_MS = 2_000;

async function readTree(
  git: RepositoryGit,
  checkout: Checkout,
  { from, to }: Step,
  options: readonly string[],
): Promise<string | null> {
  const deadline = performance.now() + LOCK_PATIENCE_MS;
  for (;;) {
    const { code, stderr } = await git.checkout(
      { command: "read-tree", options: ["-m", "-u", ...options], values: [from, to], answers: [128] },
      checkout,
    );
    if (code === 0) return null;
    if (!stderr.includes("index.lock") || performance.now() > deadline) return stderr;
    await setTimeout(50);
  }
}

export async function refresh(git: RepositoryGit, at: Checkout & { readonly index?: string }): Promise<void> {
  await git.checkout({ command: "update-index", options: ["-q", "--refresh"], answers: [1, 128] }, at);
}

/** `read-tree` names one file and stops; a person wants to know them all. */
async function explain(
  git: RepositoryGit,
  checkout: Checkout,
  { from, to }: Step,
  trouble: string,
  untracked: readonly string[],
): Promise<Obstacle> {
  if (!/^error: /m.test(trouble)) return { kind: "git", message: trouble.trim() };
  const touched = await git.trusted({
    command: "diff-tree",
    options: ["-r", "-z", "--name-only", "--no-renames", "--no-commit-id"],
    values: [from, to],
  });
  const changed = await git.checkout(
    {
      command: "diff-index",
      options: ["-z", "--name-only", "--no-renames", "--ignore-submodules=all", "--no-ext-diff"],
      values: [from],
    },
    checkout,
  );
  const changedPaths = new Set(changed.stdout.split("\0"));
  const files = touched.stdout.split("\0").filter((path) => path !== "" && changedPaths.has(path));
  const named = Array.from(trouble.matchAll(/^error: [^'\n]*'(.+)'/gm), (match) => match[1] ?? "");
  return { kind: "files", files: [...new Set([...named, ...files, ...untracked])].sort() };
}

/**
 * Git overwrites ignored files without a word. An agent that takes a path out of `.gitignore` and adds it would have the
 * person's own file of that name replaced, so a new path must not exist at all.
 */
async function untrackedInTheWay(git: RepositoryGit, checkout: Checkout, step: Step): Promise<string[]> {
  const changes = await git.changes(step.from, step.to);
  const added = changes
    .filter(({ oldMode }) => oldMode === null)
    .map(({ path }) => path)
    .filter((path) => exists(join(checkout.workTree, path)));
  if (added.length === 0) return [];
  const { stdout: known } = await git.checkout(
    { command: "ls-files", options: ["-z"], paths: added },
    checkout,
  );
  const tracked = new Set(known.split("\0"));
  return added.filter((path) => !tracked.has(path));
}

export function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
