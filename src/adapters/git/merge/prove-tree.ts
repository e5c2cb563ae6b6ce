import { type BigIntStats, lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import type { Sha } from "../../../core/ids.ts";
import type { Repository } from "../../../ports/git.ts";
import { objectName } from "../objects/loose-object.ts";
import { GITLINK, isRegularFile, LINK, type TreeEntry, type TreeListing } from "../objects/tree-listing.ts";
import { foldersOf } from "../trees/remove-strangers.ts";

/** Files whose content was compared, by path: how they looked then, and what git calls what was in them. */
export type ProvedFiles = ReadonlyMap<string, { readonly stamp: string; readonly sha: Sha }>;

export type TreeProof = {
  /** false: something differs, or it takes git to tell. */
  readonly isClean: boolean;
  /** What counts as proved from now on, when the tree is clean or git finds it so. */
  readonly files: ProvedFiles;
};

/** Beyond these, git compares faster. */
const MOST_READ = 500;
const MOST_BYTES = 4_000_000;
const FOLDERS_AT_ONCE = 200;

/** A file that was changed so shortly ago could be changed again without looking any different. */
const FINE_MS = 50;
/** Some file systems count whole seconds, or two. */
const COARSE_MS = 2_500;

/**
 * The proof that a work tree holds a commit and nothing else, without asking git. A file counts as unchanged when it looks as it
 * did when its content was compared, its time of change included, which no program can set; every other one is read. So it
 * relies on the same as git does, and on no index. Nothing here follows a link.
 */
export async function proveTree(
  root: string,
  listing: TreeListing,
  proved: ProvedFiles,
  format: Repository["objectFormat"],
): Promise<TreeProof> {
  const folders = foldersOf(listing);
  const files = new Map<string, { stamp: string; sha: Sha }>();
  const now = Date.now();
  let isClean = true;
  let found = 0;
  let read = 0;
  let bytes = 0;
  let looked = 0;

  function isAsCommitted(file: string, path: string, entry: TreeEntry): boolean {
    const stats = lstatSync(file, { bigint: true });
    const stamp = stampOf(stats);
    if (isSettled(stats, now)) files.set(path, { stamp, sha: entry.sha });
    const before = proved.get(path);
    if (before?.stamp === stamp && before.sha === entry.sha) return true;
    if (!hasMode(stats, entry.mode)) return false;
    read += 1;
    bytes += Number(stats.size);
    if (read > MOST_READ || bytes > MOST_BYTES) return false;
    const content = stats.isSymbolicLink() ? readlinkSync(file, { encoding: "buffer" }) : readFileSync(file);
    return objectName(format, "blob", content) === entry.sha;
  }

  async function visit(folder: string, prefix: string): Promise<void> {
    looked += 1;
    if (looked % FOLDERS_AT_ONCE === 0) await setImmediate();
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = prefix + entry.name;
      if (path === ".git") continue;
      // Thousands of them: putting paths in order, as `join` does, would take longer than to look at the file.
      const file = `${folder}/${entry.name}`;
      const expected = listing.get(path);
      if (expected?.mode === GITLINK) isClean &&= entry.isDirectory() && isEmpty(file);
      else if (expected) {
        found += 1;
        // Looked at in any case: what git finds clean counts as proved from then on.
        if (!isAsCommitted(file, path, expected)) isClean = false;
      } else if (entry.isDirectory() && folders.has(path)) await visit(file, `${path}/`);
      else isClean = false;
    }
  }

  try {
    await visit(root, "");
    const wanted = [...listing.values()].filter(({ mode }) => mode !== GITLINK).length;
    return { isClean: isClean && found === wanted, files };
  } catch {
    // A folder that may not be read, a name that is no text: git says what it is.
    return { isClean: false, files: new Map() };
  }
}

function stampOf({ mode, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${mode} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}

function isSettled({ ctimeNs }: BigIntStats, now: number): boolean {
  const age = now - Number(ctimeNs / 1_000_000n);
  return age > (ctimeNs % 1_000_000_000n === 0n ? COARSE_MS : FINE_MS);
}

function hasMode(stats: BigIntStats, mode: string): boolean {
  if (mode === LINK) return stats.isSymbolicLink();
  return isRegularFile(mode) && stats.isFile() && ((stats.mode & 0o100n) !== 0n) === (mode === "100755");
}

function isEmpty(folder: string): boolean {
  return readdirSync(folder).length === 0;
}
