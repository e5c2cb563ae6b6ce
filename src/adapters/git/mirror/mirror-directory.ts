import { randomUUID } from "node:crypto";
import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, type Stats } from "node:fs";
import { mkdir, realpath, rm } from "node:fs/promises";
import { devNull } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import type { Git, GitPlace, Repository } from "../../../ports/git.ts";
import { withFileLock } from "../../os/file-lock.ts";
import { isRealFolder } from "../../os/is-folder.ts";
import { replaceFileSync } from "../../os/replace-file.ts";
import { LOOM_IDENTITY } from "../commit/loom-identity.ts";
import { createTrustedDirectory } from "../trees/trusted-directory.ts";

/**
 * The bare repository behind a mirror. It is written by hand, since a folder that always has the same content can be
 * compared with it: no address, no remote, no credential and no program ever stands in its settings. Nothing is
 * collected as garbage: commits that no ref names yet are what Loom is working on. It is packed (mirror-upkeep), and made
 * anew from time to time, while nobody works with it. Objects are on the disk before a ref
 * names them, since git takes what a ref names for complete and would never ask for it again.
 *
 * Whatever talks to the other side does so from a second git directory, which shares the objects and keeps the refs. In
 * the first one git would look at the head of each work tree, and a single one that is half made, or that an agent
 * spoiled, fails every fetch.
 */
const SETTINGS = `[core]
	repositoryformatversion = 0
	filemode = true
	bare = true
	logallrefupdates = false
	hooksPath = ${devNull}
	fsmonitor = false
	filesRefLockTimeout = 10000
	packedRefsTimeout = 10000
	fsync = committed
	fsyncMethod = batch
[gc]
	auto = 0
	pruneExpire = never
[maintenance]
	auto = false
`;

/** Makes the repository unless it stands there whole, and describes it. Any number of processes may do so at once. */
export async function openMirrorDirectory(git: Git, path: string): Promise<Repository> {
  const place = resolve(path);
  await mkdir(dirname(place), { recursive: true, mode: 0o700 });
  const folder = join(await realpath(dirname(place)), basename(place));
  if (!(await isWhole(git, folder))) {
    await withFileLock(`${folder}.lock`, async () => {
      // Another process may have been faster.
      if (!(await isWhole(git, folder))) await replace(folder);
    });
  }
  return describe(await realpath(folder));
}

/**
 * Makes it anew, with nothing in it: what is needed is fetched again. `isUnused` is asked about the folder once it has been moved
 * away from its name, where nobody can begin to use it any more; one that is in use is put back as it was.
 */
export async function emptyMirrorDirectory(
  path: string,
  isUnused: (moved: string) => boolean,
): Promise<"emptied" | "in use"> {
  const folder = join(await realpath(dirname(path)), basename(path));
  return withFileLock(`${folder}.lock`, () => replace(folder, isUnused));
}

/** Where calls to the other side, and about the refs that came from there, are made. */
export function remotePlace({ commonDir, objectsDir }: Repository): GitPlace & { readonly gitDir: string } {
  return { cwd: commonDir, gitDir: remoteFolder(commonDir), objects: objectsDir, settings: "own" };
}

/** Before a token is handed to a process that reads these settings: an agent without a sandbox could have edited them. */
export function proveRemoteSettings({ commonDir }: Repository): void {
  proveSettings(remoteFolder(commonDir));
}

function remoteFolder(folder: string): string {
  return join(folder, "loom", "remote");
}

function proveSettings(folder: string): void {
  const config = join(folder, "config");
  if (!isFile(config) || readFileSync(config, "utf8") !== SETTINGS) {
    if (isRealFolder(config)) rmSync(config, { recursive: true, force: true });
    replaceFileSync(config, SETTINGS);
  }
  // Would make git look for its settings elsewhere.
  rmSync(join(folder, "commondir"), { recursive: true, force: true });
}

async function isWhole(git: Git, folder: string): Promise<boolean> {
  const both = [folder, remoteFolder(folder)];
  const hasAll = both.every((one) => isRealFolder(join(one, "refs")) && isFile(join(one, "HEAD")));
  if (!hasAll || !isRealFolder(join(folder, "objects"))) return false;
  for (const one of both) proveSettings(one);
  for (const place of [ownPlace(folder), remotePlace(describe(folder))]) {
    // Naming the kind of an object makes git open it.
    const kinds = { command: "for-each-ref", options: ["--format=%(objecttype)"], answers: [1, 128] };
    if ((await git.run(place, kinds)).code !== 0) return false;
  }
  return true;
}

function ownPlace(folder: string): GitPlace {
  return { cwd: folder, gitDir: folder, settings: "own" };
}

/** In one step, so that nobody ever finds half of it. */
async function replace(
  folder: string,
  mayGo: (moved: string) => boolean = () => true,
): Promise<"emptied" | "in use"> {
  const fresh = `${folder}.${randomUUID().slice(0, 8)}.new`;
  const left = [fresh];
  try {
    for (const name of ["objects/info", "objects/pack", "info"]) {
      mkdirSync(join(fresh, name), { recursive: true, mode: 0o700 });
    }
    for (const one of [fresh, remoteFolder(fresh)]) {
      mkdirSync(join(one, "refs"), { recursive: true, mode: 0o700 });
      mkdirSync(join(one, "objects"), { recursive: true, mode: 0o700 });
      replaceFileSync(join(one, "HEAD"), "ref: refs/heads/nowhere\n");
      replaceFileSync(join(one, "config"), SETTINGS);
    }
    // Or the first calls of several processes would build it side by side.
    createTrustedDirectory(describe(fresh)).prove();
    if (look(folder)) {
      // Who is seen in time finds it in its place all along.
      if (!mayGo(folder)) return "in use";
      // Without a pause from here on: others find nothing in its place for a moment at most.
      const moved = `${folder}.${randomUUID().slice(0, 8)}.old`;
      if (!moveAway(folder, moved, mayGo)) return "in use";
      left.push(moved);
    }
    renameSync(fresh, folder);
    return "emptied";
  } finally {
    for (const one of left) await rm(one, { recursive: true, force: true });
  }
}

/** false: it is back in its place. */
function moveAway(folder: string, moved: string, mayGo: (moved: string) => boolean): boolean {
  let goes = false;
  renameSync(folder, moved);
  try {
    goes = mayGo(moved);
    return goes;
  } finally {
    if (!goes) renameSync(moved, folder);
  }
}

function describe(folder: string): Repository {
  return {
    root: null,
    gitDir: folder,
    commonDir: folder,
    objectsDir: join(folder, "objects"),
    currentBranch: null,
    headSha: null,
    objectFormat: "sha1",
    refFormat: "files",
    refLog: "none",
    shared: false,
    shallow: false,
    identity: LOOM_IDENTITY,
    fileSettings: {},
    ignoreFiles: [],
  };
}

function isFile(path: string): boolean {
  return look(path)?.isFile() ?? false;
}

function look(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch {
    return null;
  }
}
