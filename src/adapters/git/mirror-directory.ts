import { randomUUID } from "node:crypto";
import { lstatSync, mkdirSync, readFileSync, rmSync, type Stats } from "node:fs";
import { mkdir, realpath, rename, rm } from "node:fs/promises";
import { devNull } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import type { Git, GitPlace, Repository } from "../../ports/git.ts";
import { withFileLock } from "./file-lock.ts";
import { LOOM_IDENTITY } from "./loom-identity.ts";
import { replaceFileSync } from "./replace-file.ts";
import { createTrustedDirectory } from "./trusted-directory.ts";

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

/** Makes it anew, with nothing in it: what is needed is fetched again. For a mirror that nobody works with. */
export async function emptyMirrorDirectory(path: string): Promise<void> {
  const folder = await realpath(path);
  await withFileLock(`${folder}.lock`, () => replace(folder));
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
    if (isFolder(config)) rmSync(config, { recursive: true, force: true });
    replaceFileSync(config, SETTINGS);
  }
  // Would make git look for its settings elsewhere.
  rmSync(join(folder, "commondir"), { recursive: true, force: true });
}

async function isWhole(git: Git, folder: string): Promise<boolean> {
  const both = [folder, remoteFolder(folder)];
  const hasAll = both.every((one) => isFolder(join(one, "refs")) && isFile(join(one, "HEAD")));
  if (!hasAll || !isFolder(join(folder, "objects"))) return false;
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
async function replace(folder: string): Promise<void> {
  const fresh = `${folder}.${randomUUID().slice(0, 8)}.new`;
  const broken = `${folder}.${randomUUID().slice(0, 8)}.old`;
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
    if (look(folder)) await rename(folder, broken);
    await rename(fresh, folder);
  } finally {
    for (const left of [fresh, broken]) await rm(left, { recursive: true, force: true });
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
    shallow: false,
    identity: LOOM_IDENTITY,
    fileSettings: {},
    ignoreFiles: [],
  };
}

function isFolder(path: string): boolean {
  return look(path)?.isDirectory() ?? false;
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
