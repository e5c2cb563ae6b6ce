import { lstatSync, readdirSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import type { RepositoryGit } from "../../../ports/git.ts";
import type { TreeMark } from "../../../ports/workspace.ts";
import type { ObjectReader } from "../objects/object-reader.ts";
import { removeTree } from "./remove-strangers.ts";
import { restorePointer, type Slot } from "./slot.ts";

/**
 * What a work tree holds, by what the kernel says of each file. The time of its last change can't be set by a program, so
 * a file that looks as before is as before, and nothing has to be read: tens of thousands of files take a moment.
 */
export type Stamps = ReadonlyMap<string, string>;

export function stampTree(root: string): Stamps {
  const stamps = new Map<string, string>();
  const visit = (folder: string, prefix: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = prefix + entry.name;
      if (path === ".git") continue;
      const found = lstatSync(join(folder, entry.name), { bigint: true });
      // Whatever is put into a folder changes its times, and is seen for itself.
      stamps.set(
        path,
        found.isDirectory()
          ? `folder ${found.mode}`
          : `${found.mode} ${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`,
      );
      if (found.isDirectory()) visit(join(folder, entry.name), `${path}/`);
    }
  };
  visit(root, "");
  return stamps;
}

/** null: there is something in the tree that nobody can look at, so nobody could tell what changes. */
export function markTree(slot: Slot, laid: ReadonlySet<string>): TreeMark | null {
  const stamps = stampOrNull(slot.path);
  return stamps && { stamps, laid };
}

function stampOrNull(root: string): Stamps | null {
  try {
    return stampTree(root);
  } catch {
    // A folder that may not be read, a name that is no text, a path too long for anybody.
    return null;
  }
}

/**
 * Undoes what was changed since the mark, by touching only that. `lost` when something changed of which there is no other copy,
 * such as a package that the set-up installed: then the tree has to be made anew.
 */
export async function setBackTree(
  git: RepositoryGit,
  reader: ObjectReader,
  slot: Slot,
  mark: TreeMark,
): Promise<"set-back" | "lost"> {
  if (slot.indexed === null) return "lost";
  restorePointer(slot);
  const now = stampOrNull(slot.path);
  if (now === null) return "lost";
  const strange = [...now.keys()].filter((path) => !mark.stamps.has(path));
  const differs = [...mark.stamps].filter(([path, stamp]) => now.get(path) !== stamp).map(([path]) => path);
  if (strange.length === 0 && differs.length === 0) return "set-back";
  const listing = await reader.listing(slot.indexed);
  const folders = differs.filter((path) => mark.stamps.get(path)?.startsWith("folder "));
  const files = differs.filter((path) => !folders.includes(path));
  if (files.some((path) => !listing.has(path) || mark.laid.has(path))) return "lost";
  // A folder that is gone comes back with its files; something else in its place is more than a change.
  const kept = folders.filter((path) => now.has(path));
  if (kept.some((path) => !now.get(path)?.startsWith("folder "))) return "lost";
  for (const path of strange) await removeTree(join(slot.path, path));
  for (const path of kept) await chmod(join(slot.path, path), modeOf(mark.stamps.get(path)));
  if (files.length > 0) {
    for (const path of files) await removeTree(join(slot.path, path));
    await git.trusted(
      { command: "checkout-index", options: ["-f", "-u", "-z", "--stdin"], input: `${files.join("\0")}\0` },
      { workTree: slot.path, index: slot.index },
    );
  }
  return "set-back";
}

function modeOf(stamp: string | undefined): number {
  return Number(stamp?.slice("folder ".length) ?? 0o755) & 0o7777;
}
