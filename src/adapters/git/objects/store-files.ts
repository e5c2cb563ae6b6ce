import { closeSync, constants, fstatSync, openSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import type { Repository, RepositoryGit } from "../../../ports/git.ts";
import type { TreeEdit } from "./edit-tree.ts";
import { LINK, type TreeListing } from "./tree-listing.ts";

/** More than this is written faster by a process of its own, which does not keep others waiting. */
const MOST_FILES = 1_000;
const MOST_BYTES = 8_000_000;

const ATTRIBUTES = /(?:^|\/)\.gitattributes$/i;

export type FilesToStore = { readonly paths: readonly string[]; readonly bytes: number };

/**
 * Whether git would store these files as the bytes they are: nothing converts their line ends, and the file system is one on
 * which modes and links are what they look like. Where it is not so, git does it.
 */
export function isStoredAsIs(
  { fileSettings }: Repository,
  listing: TreeListing,
  { paths, bytes }: FilesToStore,
): boolean {
  const is = (key: string, usual: string): boolean => (fileSettings[key] ?? usual) === usual;
  return (
    paths.length <= MOST_FILES &&
    bytes <= MOST_BYTES &&
    is("autocrlf", "false") &&
    is("filemode", "true") &&
    is("symlinks", "true") &&
    is("ignorecase", "false") &&
    is("precomposeunicode", "false") &&
    !paths.some((path) => ATTRIBUTES.test(path)) &&
    !holdsAttributes(listing)
  );
}

const known = new WeakMap<TreeListing, boolean>();

function holdsAttributes(listing: TreeListing): boolean {
  let holds = known.get(listing);
  if (holds === undefined) {
    holds = [...listing.keys()].some((path) => ATTRIBUTES.test(path));
    known.set(listing, holds);
  }
  return holds;
}

/** What a file or a link of a work tree is in git. Never what a link leads to. */
export function storeFile(git: RepositoryGit, root: string, path: string, isLink: boolean): TreeEdit {
  const file = join(root, path);
  if (isLink) return { path, mode: LINK, sha: git.store("blob", readlinkSync(file, { encoding: "buffer" })) };
  const handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const found = fstatSync(handle);
    if (!found.isFile()) throw new Error(`${path} became something else while it was read`);
    const mode = (found.mode & 0o100) === 0 ? "100644" : "100755";
    return { path, mode, sha: git.store("blob", readFileSync(handle)) };
  } finally {
    closeSync(handle);
  }
}
