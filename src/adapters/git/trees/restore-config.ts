import type { Dirent } from "node:fs";
import { chmod, lstat, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Sha } from "../../../core/ids.ts";
import { isAgentConfig } from "../../../core/paths/agent-config.ts";
import { foldName } from "../../../core/paths/fold-path.ts";
import { followLinks } from "../../../core/paths/links.ts";
import type { RepositoryGit } from "../../../ports/git.ts";
import { readLinks } from "../commit/inspect-changes.ts";
import { isSpecial } from "../commit/vet-tree.ts";
import type { ObjectReader } from "../objects/object-reader.ts";
import { GITLINK, LINK, type TreeEntry, type TreeListing } from "../objects/tree-listing.ts";
import { editIndex, writeTree } from "./index-file.ts";
import { createLstatInside } from "./lstat-inside.ts";
import { removeTree } from "./remove-strangers.ts";
import type { Slot } from "./slot.ts";

/**
 * Between two sessions, one agent could leave instructions, hooks or servers for the next. So before each of them, what
 * configures agents is made what the base has, ignored and untracked files included (T8). Everything else in the tree
 * is left alone, links are never followed, and nothing is read but names and what the base has too.
 *
 * Where the agent has put a link or a file in the place of a whole folder, configuration that the base has below it
 * stays away: to put it back would undo work, and the import refuses the change anyway.
 */
export async function restoreConfig(
  git: RepositoryGit,
  reader: ObjectReader,
  slot: Slot,
  base: Sha,
): Promise<string[]> {
  const config = await readConfig(reader, base);
  const removed = await removeUnknown(slot.path, config);
  const restored = await putBack(git, slot, config);
  return [...new Set([...removed, ...restored])].sort();
}

type Config = {
  readonly has: (path: string) => boolean;
  /** What the base has of it. */
  readonly entries: ReadonlyMap<string, TreeEntry>;
  /** Every folder above one of the entries. */
  readonly folders: ReadonlySet<string>;
};

async function readConfig(reader: ObjectReader, base: Sha): Promise<Config> {
  const listing = await reader.listing(base);
  const targets = await linkedConfig(reader, listing);
  const has = (path: string): boolean =>
    isAgentConfig(path) || targets.some((target) => path === target || path.startsWith(`${target}/`));
  const entries = new Map(
    [...listing].filter(([path, { mode }]) => mode !== GITLINK && !isPassedOver(path) && has(path)),
  );
  const folders = new Set<string>();
  for (const path of entries.keys()) {
    for (let above = dirname(path); above !== "." && !folders.has(above); above = dirname(above))
      folders.add(above);
  }
  return { has, entries, folders };
}

/** `CLAUDE.md` may be a link to a document. Then the document is what agents read. */
async function linkedConfig(reader: ObjectReader, listing: TreeListing): Promise<string[]> {
  const suspects = [...listing].filter(([path, { mode }]) => mode === LINK && isAgentConfig(path));
  if (suspects.length === 0) return [];
  const links = await readLinks(reader, listing);
  return suspects.flatMap(([path]) => {
    const end = followLinks(path, links);
    return end.kind === "inside" && end.path !== "" ? [end.path] : [];
  });
}

/** What git keeps and what package managers install is not read as configuration of this repository. */
function isPassedOver(path: string): boolean {
  return path.split("/").some((name) => name === "node_modules" || foldName(name) === ".git");
}

/** Takes away what the base does not have; of a folder that is all new, the folder is named. */
async function removeUnknown(root: string, config: Config): Promise<string[]> {
  const removed: string[] = [];

  async function visit(folder: string, prefix: string): Promise<void> {
    const entries = await list(folder);
    const inner: Promise<void>[] = [];
    for (const entry of entries) {
      const path = prefix + entry.name;
      if (isPassedOver(entry.name)) continue;
      if (entry.isDirectory() && (config.folders.has(path) || !config.has(path))) {
        inner.push(visit(`${folder}/${entry.name}`, `${path}/`));
      } else if (config.has(path) && (entry.isDirectory() || !config.entries.has(path))) {
        removed.push(path);
        inner.push(remove(folder, entry.name));
      } else if (isSpecial(entry)) {
        // Configures nobody, but git would wait for ever at a pipe called `.gitattributes` (T25).
        inner.push(remove(folder, entry.name));
      }
    }
    await Promise.all(inner);
  }

  await visit(root, "");
  return removed;
}

/** Puts back what differs from the base or is gone. */
async function putBack(git: RepositoryGit, slot: Slot, { entries }: Config): Promise<string[]> {
  if (entries.size === 0) return [];
  const scratch = await git.scratch();
  try {
    const expected = join(scratch, "expected");
    await editIndex(git, expected, edits(entries.keys(), entries));
    const { stdout } = await git.trusted(
      { command: "ls-files", options: ["-z", "-m"] },
      { workTree: slot.path, index: expected },
    );
    const changed = await reachable(slot.path, new Set(stdout.split("\0").filter((path) => path !== "")));
    if (changed.length === 0) return [];
    for (const path of changed)
      await remove(join(slot.path, dirname(path)), path.slice(path.lastIndexOf("/") + 1));
    const missing = join(scratch, "missing");
    await editIndex(git, missing, edits(changed, entries));
    // From an index that knows nothing, so that no other path is looked at.
    await git.trusted(
      { command: "read-tree", options: ["--reset", "-u"], values: [await writeTree(git, missing)] },
      { workTree: slot.path, index: join(scratch, "empty") },
    );
    return changed;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function edits(
  paths: Iterable<string>,
  entries: Config["entries"],
): (TreeEntry & { readonly path: string })[] {
  return [...paths].flatMap((path) => {
    const entry = entries.get(path);
    return entry ? [{ path, ...entry }] : [];
  });
}

/** Those whose nearest parent that is there is a folder of the tree, not a link or a file. */
async function reachable(root: string, paths: ReadonlySet<string>): Promise<string[]> {
  const look = createLstatInside(root);
  const isFree = async (folder: string): Promise<boolean> => {
    if (folder === ".") return true;
    const found = await look(folder);
    return found ? found.isDirectory() : isFree(dirname(folder));
  };
  const found: string[] = [];
  for (const path of paths) if (await isFree(dirname(path))) found.push(path);
  return found;
}

/**
 * A folder that its owner may not read is made readable: the next agent could do that too. One whose path is too long for
 * anybody holds nothing that an agent would be configured by, and the import refuses it.
 */
async function list(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENAMETOOLONG") return [];
    await makeWritable(folder);
    return readdir(folder, { withFileTypes: true });
  }
}

async function remove(folder: string, name: string): Promise<void> {
  if (name.includes("\ufffd")) return removeUndecodable(folder);
  try {
    await removeTree(join(folder, name));
  } catch {
    await makeWritable(folder);
    await removeTree(join(folder, name));
  }
}

/** Names that are not UTF-8 have to be given back as the bytes they are. */
async function removeUndecodable(folder: string): Promise<void> {
  for (const name of await readdir(folder, { encoding: "buffer" })) {
    if (!name.toString("utf8").includes("\ufffd")) continue;
    await rm(Buffer.concat([Buffer.from(`${folder}/`), name]), { recursive: true, force: true });
  }
}

async function makeWritable(folder: string): Promise<void> {
  const found = await lstat(folder).catch(() => null);
  if (found?.isDirectory()) await chmod(folder, (found.mode & 0o777) | 0o700);
}
