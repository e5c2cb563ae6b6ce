import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Sha } from "../../../core/ids.ts";
import type { RepositoryGit } from "../../../ports/git.ts";
import { withFileLock } from "../../os/file-lock.ts";
import { replaceFileSync, replaceWithCopySync } from "../../os/replace-file.ts";
import { type ProvedFiles, proveTree } from "../merge/prove-tree.ts";
import type { ObjectReader } from "../objects/object-reader.ts";
import type { TreeListing } from "../objects/tree-listing.ts";
import { removeStrangers, removeTree } from "./remove-strangers.ts";

/**
 * One reusable work tree. To an agent it is a linked work tree of the person's repository, so that its own `git status`,
 * `diff` and `log` work. Loom looks at it only through its trusted git directory and an index of its own: nothing the
 * agent does to the `.git` pointer, the agent-side index or the settings changes what Loom sees.
 */
export type Slot = {
  readonly path: string;
  /** What git keeps about this work tree in the person's git directory. */
  readonly metadata: string;
  readonly index: string;
  lent: boolean;
  /** Not yet opened since it was made. */
  fresh: boolean;
  /** The commit that the private index was laid out from; null when nothing is known about it. */
  indexed: Sha | null;
  /** What is known of files from the last time that the tree was proved to be clean. */
  proved: ProvedFiles;
};

// What `git worktree add` makes; anything else there came from somebody's git command, or from an agent.
const METADATA = new Set(["HEAD", "commondir", "gitdir", "index"]);

export const NOTHING_PROVED: ProvedFiles = new Map();

/** Makes the tree hold exactly `commit` and the agent's git agree that nothing is changed. */
export async function openSlot(
  git: RepositoryGit,
  reader: ObjectReader,
  slot: Slot,
  commit: Sha,
  kept?: ReadonlySet<string>,
): Promise<void> {
  restorePointer(slot);
  await fillTree(git, reader, slot, commit, kept);
  resetMetadata(slot);
  replaceWithCopySync(join(slot.metadata, "index"), slot.index);
  if (git.repository.refFormat === "files") {
    replaceFileSync(join(slot.metadata, "HEAD"), `${commit}\n`);
  } else {
    await git.refs(
      { command: "update-ref", options: ["--no-deref"], values: ["HEAD", commit] },
      slot.metadata,
    );
  }
}

/** Makes the files those of `commit`, with nothing beside them but `kept` folders; head and index of the agent stay. */
export async function fillTree(
  git: RepositoryGit,
  reader: ObjectReader,
  slot: Slot,
  commit: Sha,
  kept: ReadonlySet<string> = new Set(),
): Promise<void> {
  const listing = await reader.listing(commit);
  slot.indexed = null;
  for (let round = 1; ; round += 1) {
    rmSync(`${slot.index}.lock`, { force: true });
    await removeStrangers(slot.path, listing, kept);
    await git.trusted(
      { command: "read-tree", options: ["--reset", "-u"], values: [commit] },
      { workTree: slot.path, index: slot.index },
    );
    const leftovers = await differences(git, slot, listing, kept.size === 0);
    if (leftovers.length === 0) break;
    // Something is still writing here, or the file system will not let go.
    if (round === 3) {
      throw new Error(`failed to clean the work tree ${slot.path}: ${leftovers.slice(0, 3).join(", ")}`);
    }
  }
  slot.indexed = commit;
}

/** The proof: paths whose content differs from the commit, and every path that is not in it, ignored ones too. */
async function differences(
  git: RepositoryGit,
  slot: Slot,
  listing: TreeListing,
  isBare: boolean,
): Promise<string[]> {
  const proof = isBare ? await proveTree(slot.path, listing, slot.proved, git.repository.objectFormat) : null;
  slot.proved = NOTHING_PROVED;
  if (proof?.isClean) {
    slot.proved = proof.files;
    return [];
  }
  const { stdout } = await git.trusted(
    { command: "ls-files", options: ["-z", "-m", ...(isBare ? ["-o"] : [])] },
    { workTree: slot.path, index: slot.index },
  );
  const paths = stdout.split("\0").filter((path) => path !== "");
  if (proof && paths.length === 0) slot.proved = proof.files;
  return paths;
}

export function restorePointer(slot: Slot): void {
  const pointer = join(slot.path, ".git");
  const text = `gitdir: ${slot.metadata}\n`;
  const found = lstatSync(pointer, { throwIfNoEntry: false });
  if (found?.isFile() && readFileSync(pointer, "utf8") === text) return;
  if (found) rmSync(pointer, { recursive: true, force: true });
  replaceFileSync(pointer, text);
}

function resetMetadata(slot: Slot): void {
  const found = lstatSync(slot.metadata, { throwIfNoEntry: false });
  if (found && !found.isDirectory()) rmSync(slot.metadata, { force: true });
  mkdirSync(slot.metadata, { recursive: true });
  for (const name of readdirSync(slot.metadata)) {
    if (!METADATA.has(name)) rmSync(join(slot.metadata, name), { recursive: true, force: true });
  }
  restoreFile(join(slot.metadata, "commondir"), "../..\n");
  restoreFile(join(slot.metadata, "gitdir"), `${join(slot.path, ".git")}\n`);
}

function restoreFile(path: string, text: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isFile() && readFileSync(path, "utf8") === text) return;
  if (found?.isDirectory()) rmSync(path, { recursive: true, force: true });
  replaceFileSync(path, text);
}

/** Held while git's list of work trees is changed: whoever reads it meanwhile fails on what is half written. */
export function workTreesLock(commonDir: string): string {
  return join(commonDir, "loom", "worktrees.lock");
}

/** Takes away the tree and what git and Loom know about it. */
export async function removeSlot(git: RepositoryGit, slot: Slot): Promise<void> {
  await removeTree(slot.path);
  // While the entry stands, nobody else can have an index of this name.
  await rm(slot.index, { force: true });
  await rm(`${slot.index}.lock`, { force: true });
  // With its folder gone, git only drops the entry. `worktree prune` would drop the person's own as well, when one of
  // theirs is on a disk that is not mounted now.
  await withFileLock(workTreesLock(git.repository.commonDir), async () => {
    await git.refs({
      command: "worktree remove",
      options: ["--force", "--force"],
      values: [slot.path],
      answers: [128],
    });
    await rm(slot.metadata, { recursive: true, force: true });
  });
}
