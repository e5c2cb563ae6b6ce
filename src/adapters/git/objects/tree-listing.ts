import type { Sha } from "../../../core/ids.ts";
import type { FileChange } from "../../../ports/git.ts";

/** Every entry of a commit's tree that is not a folder. Never changed once made. */
export type TreeListing = ReadonlyMap<string, TreeEntry>;
export type TreeEntry = { readonly mode: string; readonly sha: Sha };

export const LINK = "120000";
export const GITLINK = "160000";

export function isRegularFile(mode: string): boolean {
  return mode === "100644" || mode === "100755";
}

/** Reads `ls-tree -r -z`. */
export function parseListing(output: string): TreeListing {
  const listing = new Map<string, TreeEntry>();
  for (const line of output.split("\0")) {
    const tab = line.indexOf("\t");
    const [mode, , sha] = line.slice(0, tab).split(" ");
    if (tab > 0 && mode && sha) listing.set(line.slice(tab + 1), { mode, sha });
  }
  return listing;
}

export function applyChanges(listing: TreeListing, changes: readonly FileChange[]): TreeListing {
  const result = new Map(listing);
  for (const { path, mode, sha } of changes) {
    if (mode === null) result.delete(path);
    else result.set(path, { mode, sha });
  }
  return result;
}
