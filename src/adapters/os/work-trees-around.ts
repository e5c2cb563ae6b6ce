import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { realPath } from "./real-path.ts";

/**
 * The folders that a repository's files are checked out in: the one around `folder` and all that are linked to it. What an
 * agent's work becomes part of can end up in any of them. Read from the files, since git itself is still to be found; none
 * when the folder is in no repository.
 */
export function workTreesAround(folder: string): readonly string[] {
  const start = realPath(folder);
  const top = enclosingWorkTree(start);
  // Both, for files of a work tree can look like a repository without one.
  const common = [top === null ? null : join(top, ".git"), enclosingGitFolder(start)].flatMap((git) =>
    git === null ? [] : [commonFolder(git)],
  );
  const linked = common.flatMap((at) =>
    entriesOf(join(at, "worktrees")).flatMap((name) => {
      const pointer = firstLine(join(at, "worktrees", name, "gitdir"));
      return pointer === null ? [] : [dirname(resolve(at, "worktrees", name, pointer))];
    }),
  );
  const main = common.filter((at) => basename(at) === ".git").map((at) => dirname(at));
  return [...new Set([...(top === null ? [] : [top]), ...main, ...linked].map(realPath))];
}

/** A repository without a work tree around this folder, which can still have some that are linked to it. */
function enclosingGitFolder(folder: string): string | null {
  for (let at = folder; ; at = dirname(at)) {
    if (["HEAD", "objects", "refs"].every((name) => existsSync(join(at, name)))) return at;
    if (at === dirname(at)) return null;
  }
}

/** The nearest folder above, or this one, that has a `.git`; null when there is none. */
export function enclosingWorkTree(folder: string): string | null {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (at === dirname(at)) return null;
  }
}

/** `.git` is a folder, or a file that says where the folder is; work trees that are linked have one in common. */
function commonFolder(git: string): string {
  const pointer = /^gitdir: (.+)$/.exec(firstLine(git) ?? "")?.[1];
  const own = pointer === undefined ? git : resolve(dirname(git), pointer);
  const common = firstLine(join(own, "commondir"));
  return common === null ? own : resolve(own, common);
}

function firstLine(file: string): string | null {
  try {
    return readFileSync(file, "utf8").split("\n")[0] ?? null;
  } catch {
    return null;
  }
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
