import { type Dirent, lstatSync, mkdirSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { UserError } from "../../../../core/errors.ts";
import type { Patterns } from "../../../../ports/patterns.ts";
import type { SandboxSpec } from "../../../../ports/sandbox.ts";
import type { Mount } from "./mounts.ts";
import { arrangeLayers, type TreeLayer } from "./tree-layers.ts";

/** Paths from the root of the tree that are other than the tree itself; "" is the tree. */
export type TreeExceptions = {
  readonly readOnly: readonly string[];
  readonly writable: readonly string[];
  readonly hidden: readonly string[];
};

type Rules = Pick<SandboxSpec, "tree" | "treeAccess" | "hidden" | "covered" | "readOnly" | "writable">;

// Each is a mount, and bubblewrap takes some thousand words at most.
const MOST_MATCHES = 1000;
// With the folders above. Each one makes all later ones slower: a thousand cost every program two seconds.
const MOST_MOUNTS = 1500;

/**
 * Finds what the globs mean now. A folder that matches as a whole is taken as a whole. Links are passed over: what they
 * lead to is either in the tree, where a glob of its own can name it, or not in the sandbox at all.
 */
export async function findTreeExceptions(rules: Rules, patterns: Patterns): Promise<TreeExceptions> {
  if (rules.treeAccess === "read") makeFolders(rules.tree, rules.writable);
  return {
    readOnly: await matches(rules.tree, rules.readOnly, patterns),
    writable: await matches(rules.tree, rules.writable, patterns),
    hidden: await matches(rules.tree, [...rules.hidden, ...(rules.covered ?? [])], patterns),
  };
}

/** Of what was found those that are still there and are not behind a link that a program made meanwhile. */
export function treeMounts(rules: Rules, exceptions: TreeExceptions, nothing: string): Mount[] {
  const { tree } = rules;
  const isReadOnly = rules.treeAccess === "read" || exceptions.readOnly.includes("");
  const layers = (paths: readonly string[], access: TreeLayer["access"]): TreeLayer[] =>
    paths
      .filter((path) => path === "" || lookWithoutLinks(tree, path) !== null)
      .map((path) => ({ path, access }));
  const arranged = arrangeLayers([
    { path: "", access: isReadOnly ? "read" : "write" },
    ...(isReadOnly ? [] : layers(exceptions.readOnly, "read")),
    ...layers(
      exceptions.writable.filter((path) => path !== ""),
      "write",
    ),
    ...layers(exceptions.hidden, "hidden"),
  ]);
  if (arranged.length > MOST_MOUNTS) {
    throw new UserError(
      `The sandbox rules match files in too many folders: with them, more than ${MOST_MOUNTS} mounts are needed.`,
      { next: "Name the folder they are in, such as `folder/**`." },
    );
  }
  return arranged.map(({ path, access }) => {
    const at = join(tree, path);
    if (access !== "hidden") return { kind: access, from: at, at };
    const isFolder = path === "" || lookWithoutLinks(tree, path)?.isDirectory();
    return isFolder ? { kind: "hidden", at } : { kind: "read", from: nothing, at };
  });
}

async function matches(tree: string, globs: readonly string[], patterns: Patterns): Promise<string[]> {
  const found = new Set<string>();
  for (const glob of globs) {
    const matcher = createMatcher(glob, patterns);
    if (matcher.whole("")) return [""];
    for (const path of await walk(tree, matcher)) found.add(path);
    if (found.size > MOST_MATCHES) {
      throw new UserError(`More than ${MOST_MATCHES} files match the sandbox rule \`${glob}\`.`, {
        next: "Name the folder they are in, such as `folder/**`.",
      });
    }
  }
  return [...found].sort();
}

type Matcher = {
  /** Folders above what can match, without a wildcard. */
  readonly start: string;
  /** It and all below it is meant. */
  whole(path: string): boolean;
};

function createMatcher(glob: string, patterns: Patterns): Matcher {
  const clean = trimGlob(glob);
  const isMatch = patterns.glob(clean);
  const folder = clean.endsWith("/**") ? patterns.glob(clean.slice(0, -3)) : null;
  const literal = clean.slice(0, clean.search(/[*?[{\\]|$/));
  return {
    start: literal.includes("/") ? literal.slice(0, literal.lastIndexOf("/")) : "",
    whole: (path) => clean === "**" || (path !== "" && (isMatch(path) || (folder?.(path) ?? false))),
  };
}

async function walk(tree: string, matcher: Matcher): Promise<string[]> {
  const found: string[] = [];
  if (matcher.start !== "") {
    const start = lookWithoutLinks(tree, matcher.start);
    if (!start) return [];
    if (matcher.whole(matcher.start)) return [matcher.start];
    if (!start.isDirectory()) return [];
  }
  const waiting = [matcher.start];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const entry of await list(join(tree, folder))) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      // Git's own place has rules of its own.
      if (path === ".git" || (!entry.isFile() && !entry.isDirectory())) continue;
      if (matcher.whole(path)) found.push(path);
      else if (entry.isDirectory()) waiting.push(path);
    }
    if (found.length > MOST_MATCHES) break;
  }
  return found;
}

/** `doc/notes/**` names a folder that shall be writable, so it has to be there before its parent can't be written. */
function makeFolders(tree: string, globs: readonly string[]): void {
  for (const glob of globs) {
    const clean = trimGlob(glob);
    if (!clean.endsWith("/**") || /[*?[{\\]/.test(clean.slice(0, -3))) continue;
    let path = "";
    for (const part of clean.slice(0, -3).split("/")) {
      path = path === "" ? part : `${path}/${part}`;
      if (part === "" || part === "." || part === ".." || path === ".git") break;
      const found = lstatSync(join(tree, path), { throwIfNoEntry: false });
      if (!found) mkdirSync(join(tree, path));
      else if (!found.isDirectory()) break;
    }
  }
}

function lookWithoutLinks(tree: string, path: string) {
  let at = tree;
  let found: ReturnType<typeof lstatSync> | undefined;
  for (const part of path.split("/")) {
    if (part === "" || part === "." || part === "..") return null;
    at = join(at, part);
    found = lstatSync(at, { throwIfNoEntry: false });
    if (!found?.isDirectory() && !found?.isFile()) return null;
  }
  return found ?? null;
}

function trimGlob(glob: string): string {
  const trimmed = glob.replace(/^(?:\.?\/)+/, "");
  return trimmed.endsWith("/") || trimmed === "" ? `${trimmed}**` : trimmed;
}

async function list(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
