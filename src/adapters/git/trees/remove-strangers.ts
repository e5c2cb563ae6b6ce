import { execFile } from "node:child_process";
import type { Dirent } from "node:fs";
import { chmod, lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { hostPrograms } from "../../os/host-programs.ts";
import { isSpecial } from "../commit/vet-tree.ts";
import { GITLINK, type TreeListing } from "../objects/tree-listing.ts";
import { createLstatInside } from "./lstat-inside.ts";

/**
 * Removes everything from a work tree that has no place in the given listing: untracked and ignored files, empty
 * folders, repositories inside the repository. `git clean` won't do: it never looks at a `.git` in a tracked folder,
 * whose settings git would obey there (T11), and gives up on folders that an agent made read-only.
 *
 * Tracked paths stay whatever they have become; the checkout that follows puts them right. The pointer at the root is
 * the caller's business. Folders whose names are among `kept` stay with all that is in them, unless it is in the way of
 * something that the listing has.
 */
export async function removeStrangers(
  root: string,
  listing: TreeListing,
  kept: ReadonlySet<string> = NONE,
): Promise<void> {
  const shape = shapeOf(listing);

  function stays(path: string, entry: Dirent, inKept: boolean): boolean {
    // Git would wait for somebody to write into a pipe that has the name of a file it reads (T25).
    if (isSpecial(entry)) return false;
    if (listing.has(path)) return !entry.isDirectory();
    if (shape.folders.has(path)) return false;
    return inKept || (entry.isDirectory() && kept.has(entry.name));
  }

  async function visit(folder: string, prefix: string, inKept: boolean): Promise<void> {
    await makeWritable(folder);
    const entries = await readdir(folder, { withFileTypes: true });
    const inner: Promise<void>[] = [];
    let undecodable = false;
    for (const entry of entries) {
      const path = prefix + entry.name;
      if (path === ".git") continue;
      if (entry.isDirectory() && shape.gitlinks.has(path)) continue;
      if (entry.isDirectory() && shape.folders.has(path)) {
        inner.push(visit(join(folder, entry.name), `${path}/`, inKept || kept.has(entry.name)));
      } else if (!stays(path, entry, inKept)) {
        if (entry.name.includes("\ufffd")) undecodable = true;
        else inner.push(removeTree(join(folder, entry.name)));
      }
    }
    await Promise.all(inner);
    if (undecodable) await removeUndecodable(folder, prefix, listing);
  }

  await visit(root, "", false);
  await emptyGitlinks(root, listing);
}

/** The folder of a submodule stays empty: what an agent puts there is never part of the tree. */
export async function emptyGitlinks(root: string, listing: TreeListing): Promise<void> {
  const look = createLstatInside(root);
  for (const path of shapeOf(listing).gitlinks) {
    if ((await look(path))?.isDirectory()) await emptyFolder(join(root, path));
  }
}

const NONE: ReadonlySet<string> = new Set();

type Shape = { readonly folders: ReadonlySet<string>; readonly gitlinks: ReadonlySet<string> };
const shapes = new WeakMap<TreeListing, Shape>();

function shapeOf(listing: TreeListing): Shape {
  const known = shapes.get(listing);
  if (known) return known;
  const folders = new Set<string>();
  const gitlinks = new Set<string>();
  for (const [path, { mode }] of listing) {
    if (mode === GITLINK) gitlinks.add(path);
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const folder = path.slice(0, end);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  const shape = { folders, gitlinks };
  shapes.set(listing, shape);
  return shape;
}

/** Every folder that a file of the listing is in. */
export function foldersOf(listing: TreeListing): ReadonlySet<string> {
  return shapeOf(listing).folders;
}

async function emptyFolder(folder: string): Promise<void> {
  await makeWritable(folder);
  const names = await readdir(folder);
  await Promise.all(names.map((name) => removeTree(join(folder, name))));
}

/** Names that are not UTF-8 have to be given back as the bytes they are. */
async function removeUndecodable(folder: string, prefix: string, listing: TreeListing): Promise<void> {
  const entries: Dirent<Buffer>[] = await readdir(folder, { withFileTypes: true, encoding: "buffer" });
  for (const entry of entries) {
    const name = entry.name.toString("utf8");
    if (!name.includes("\ufffd") || (listing.has(prefix + name) && !entry.isDirectory())) continue;
    await rm(Buffer.concat([Buffer.from(`${folder}/`), entry.name]), { recursive: true, force: true });
  }
}

/** Removes a file, link or folder, read-only folders inside it too. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    await makeAllWritable(path).catch(() => {});
    try {
      await rm(path, { recursive: true, force: true, maxRetries: 3 });
    } catch (error) {
      // Folders that lie in each other until no path is long enough: `rm` goes down step by step, Node does not.
      const program = hostPrograms().tool("rm") ?? "/bin/rm";
      await promisify(execFile)(program, ["-rf", "--", path], { env: {} }).catch(() => {
        throw error;
      });
    }
  }
}

async function makeAllWritable(path: string): Promise<void> {
  const found = await lstat(path).catch(() => null);
  if (!found?.isDirectory()) return;
  await makeWritable(path);
  for (const name of await readdir(path)) await makeAllWritable(join(path, name));
}

async function makeWritable(folder: string): Promise<void> {
  const { mode } = await lstat(folder);
  if ((mode & 0o700) !== 0o700) await chmod(folder, (mode & 0o777) | 0o700);
}
