import { createHash } from "node:crypto";
import { chmodSync, lstatSync, readFileSync, type Stats } from "node:fs";
import { join } from "node:path";
import { InternalError } from "../../../core/errors.ts";
import type { RepositoryGit } from "../../../ports/git.ts";
import type { ObjectReader } from "../objects/object-reader.ts";
import { GITLINK, LINK, type TreeEntry, type TreeListing } from "../objects/tree-listing.ts";
import { GitTimeout } from "../run/git-failure.ts";
import { foldersOf, removeTree } from "./remove-strangers.ts";
import type { Slot } from "./slot.ts";

const ATTRIBUTES = ".gitattributes";
const MOST_ATTRIBUTE_BYTES = 10_000_000;

/**
 * Sets every file of the commit back, but for `except`; what lies beside them stays. Resolves with those that were changed, or
 * null when git can't tell them in time.
 *
 * Whoever changed them must not have a say in what counts as a change. A link in the place of a folder would show git the files
 * that it leads to, and attributes can make git take one text for another: so both are put right before git looks.
 */
export async function restoreTracked(
  git: RepositoryGit,
  reader: ObjectReader,
  slot: Slot,
  except: ReadonlySet<string>,
): Promise<string[] | null> {
  if (slot.indexed === null) throw new InternalError(`the work tree ${slot.path} holds no known commit`);
  const listing = await reader.listing(slot.indexed);
  const on = { workTree: slot.path, index: slot.index };
  await restoreFolders(slot.path, listing);
  await removeChangedAttributes(slot.path, listing, git.repository.objectFormat, except);
  try {
    const { stdout } = await git.trusted({ command: "ls-files", options: ["-z", "-m"] }, on);
    // What a set-up puts into the folder of a submodule is its work, not a change of the commit.
    const isFile = (path: string): boolean => path !== "" && listing.get(path)?.mode !== GITLINK;
    const changed = [...new Set(stdout.split("\0"))].filter((path) => isFile(path) && !except.has(path));
    if (changed.length === 0) return [];
    for (const path of changed) await removeTree(join(slot.path, path));
    await git.trusted(
      { command: "checkout-index", options: ["-f", "-u", "-z", "--stdin"], input: `${changed.join("\0")}\0` },
      on,
    );
    return changed;
  } catch (error) {
    if (error instanceof GitTimeout) return null;
    throw error;
  }
}

async function restoreFolders(root: string, listing: TreeListing): Promise<void> {
  // Those above come first: below a link, nothing is looked at.
  for (const folder of [...foldersOf(listing)].sort((a, b) => a.length - b.length)) {
    const path = join(root, folder);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found && !found.isDirectory()) await removeTree(path);
    else if (found && (found.mode & 0o700) !== 0o700) chmodSync(path, (found.mode & 0o777) | 0o700);
  }
}

/** Where a file is missing, git takes the attributes that the commit has. */
async function removeChangedAttributes(
  root: string,
  listing: TreeListing,
  format: string,
  except: ReadonlySet<string>,
): Promise<void> {
  for (const folder of ["", ...foldersOf(listing)]) {
    const path = folder === "" ? ATTRIBUTES : `${folder}/${ATTRIBUTES}`;
    if (except.has(path)) continue;
    const file = join(root, path);
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found && !isAsCommitted(file, found, listing.get(path), format)) await removeTree(file);
  }
}

function isAsCommitted(file: string, found: Stats, entry: TreeEntry | undefined, format: string): boolean {
  // Git follows no such link.
  if (entry?.mode === LINK && found.isSymbolicLink()) return true;
  if (!entry || !found.isFile() || found.size > MOST_ATTRIBUTE_BYTES) return false;
  const content = readFileSync(file);
  return createHash(format).update(`blob ${content.length}\0`).update(content).digest("hex") === entry.sha;
}
