import { chmodSync, type Dirent, lstatSync, readdirSync, readFileSync, unlinkSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { findingTexts } from "../../../core/merge/finding-texts.ts";
import type { ImportFinding } from "../../../ports/workspace.ts";

export type TreeLimits = {
  /** Files, folders and links together, ignored ones too. */
  readonly entries: number;
  /** Of all files with rules for git together. */
  readonly ruleBytes: number;
  /** How many `**` one rule may have. */
  readonly wildcards: number;
};

const TREE_LIMITS: TreeLimits = { entries: 2_000_000, ruleBytes: 10_000_000, wildcards: 5 };

const RULES = new Set([".gitignore", ".gitattributes"]);
const SLASH = Buffer.from("/");
const DOT = ".".charCodeAt(0);
/** Some ten milliseconds; then others get their turn. */
const FOLDERS_AT_ONCE = 500;

/**
 * Git opens files of a work tree by their names, and waits for ever where one of them is a pipe: `.gitignore`,
 * `.gitattributes`, the `HEAD` of a repository in the repository (T25). So before it looks through an agent's tree, all that
 * is no file, folder or link is removed; no commit could hold it. Rules for git are bounded, because it tries each of
 * them on each path, in a time that grows with every `**`. Resolves with what git should not be let near.
 *
 * Looks into every folder and at no file: the kernel tells their kinds along with their names. Names are bytes here, since git
 * also goes into folders whose names are no text. Rejected: to look only where git would, for which its rules had to be read
 * and obeyed first.
 */
export async function vetTree(root: string, limits = TREE_LIMITS): Promise<ImportFinding | null> {
  const folders: Buffer[] = [Buffer.from(root)];
  const vetRules = createRuleVet(root, limits);
  let entries = 0;
  let looked = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    looked += 1;
    if (looked % FOLDERS_AT_ONCE === 0) await setImmediate();
    const found = list(folder);
    if (found === "too-deep") return wholeTree(findingTexts.tooDeep());
    entries += found.length;
    if (entries > limits.entries) return wholeTree(findingTexts.tooManyEntries(limits.entries));
    for (const entry of found) {
      if (entry.isDirectory()) folders.push(within(folder, entry.name));
      else if (isSpecial(entry)) insisting(folder, 0o700, () => unlinkSync(within(folder, entry.name)));
      else if (entry.isFile() && isRules(entry.name)) {
        const finding = vetRules(within(folder, entry.name));
        if (finding) return finding;
      }
    }
  }
  return null;
}

/** Their first letter leaves out nearly all names without a look at the rest. */
function isRules(name: Buffer): boolean {
  return name[0] === DOT && RULES.has(name.toString("latin1").toLowerCase());
}

/** A pipe, a socket or a device: whoever opens one may wait for ever, and git stores none. */
export function isSpecial(entry: Pick<Dirent, "isFile" | "isDirectory" | "isSymbolicLink">): boolean {
  return !entry.isFile() && !entry.isDirectory() && !entry.isSymbolicLink();
}

function createRuleVet(root: string, limits: TreeLimits): (file: Buffer) => ImportFinding | null {
  let bytes = 0;
  return (file) => {
    const path = file.toString("utf8").slice(root.length + 1);
    bytes += lstatSync(file).size;
    if (bytes > limits.ruleBytes) return oversized(path, findingTexts.tooManyRules(path, limits.ruleBytes));
    const text = insisting(file, 0o600, () => readFileSync(file, "latin1"));
    return hasSlowRule(text, limits.wildcards)
      ? oversized(path, findingTexts.slowRule(path, limits.wildcards))
      : null;
  };
}

function hasSlowRule(text: string, wildcards: number): boolean {
  return text
    .split("\n")
    .some((line) => !line.startsWith("#") && (line.match(/\*\*+/g)?.length ?? 0) > wildcards);
}

function list(folder: Buffer): Dirent<Buffer>[] | "too-deep" {
  const look = (): Dirent<Buffer>[] => readdirSync(folder, { withFileTypes: true, encoding: "buffer" });
  try {
    return insisting(folder, 0o700, look);
  } catch (error) {
    // Git names paths from the root of the tree, so it gets deeper than Loom can look.
    if (codeOf(error) === "ENAMETOOLONG") return "too-deep";
    throw error;
  }
}

/** What an agent forbade itself is allowed again: git may go into a folder that can't be listed. */
function insisting<T>(path: Buffer, rights: number, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (codeOf(error) !== "EACCES") throw error;
    chmodSync(path, rights);
    return act();
  }
}

function wholeTree(message: string): ImportFinding {
  return { path: ".", rule: "change-too-large", message };
}

function oversized(path: string, message: string): ImportFinding {
  return { path, rule: "oversized", message };
}

function within(folder: Buffer, name: Buffer): Buffer {
  return Buffer.concat([folder, SLASH, name]);
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
