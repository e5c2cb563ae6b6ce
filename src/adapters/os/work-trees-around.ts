import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { realPath } from "./real-path.ts";

/**
 * The folders that a repository's files are checked out in: the one around `folder` and all that are linked to it. What an
 * agent's work becomes part of can end up in any of them. Read from the files, since git itself is still to be found; none
 * when the folder is in no repository.
 */
export function workTreesAround(folder: string): readonly string[] {
  const top = enclosingWorkTree(realPath(folder));
  if (top === null) return [];
  const common = commonFolder(join(top, ".git"));
  const linked = entriesOf(join(common, "worktrees")).flatMap((name) => {
    const pointer = firstLine(join(common, "worktrees", name, "gitdir"));
    return pointer === null ? [] : [dirname(resolve(common, "worktrees", name, pointer))];
  });
  const main = basename(common) === ".git" ? [dirname(common)] : [];
  return [...new Set([top, ...main, ...linked].map(realPath))];
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
