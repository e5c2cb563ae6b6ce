import { createHash, randomBytes, webcrypto } from "node:crypto";
import { lstatSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { deflate, deflateSync } from "node:zlib";
import type { Sha } from "../../../core/ids.ts";
import type { Repository } from "../../../ports/git.ts";

export type ObjectType = "blob" | "commit" | "tree";

/** What git calls this content. */
export function objectName(format: Repository["objectFormat"], type: ObjectType, content: Buffer): Sha {
  return createHash(format).update(`${type} ${content.length}\0`).update(content).digest("hex");
}

/**
 * Writes an object as git does, only without a process: compressed as fast as can be, under a name that `git gc` clears away
 * if we die meanwhile, then put in its place in one step. One that is there already is marked as new, or a `git gc` could take
 * it before anything refers to it. Git does not wait for the disk here either, unless it is told to.
 */
export function writeLooseObject(
  { objectsDir, objectFormat }: Pick<Repository, "objectsDir" | "objectFormat">,
  type: ObjectType,
  content: Buffer,
): Sha {
  const name = objectName(objectFormat, type, content);
  const { folder, path, temporary } = placeOf(objectsDir, name);
  if (freshen(path)) return name;
  const packed = deflateSync(withHeader(type, content), FAST);
  mkdirSync(folder, { recursive: true });
  try {
    writeFileSync(temporary, packed, NEW_FILE);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  return name;
}

/** The same for content that may be large: it is hashed, compressed and written beside this thread, which others need meanwhile. */
export async function writeLargeObject(
  repository: Pick<Repository, "objectsDir" | "objectFormat">,
  type: ObjectType,
  content: Buffer,
): Promise<Sha> {
  // Sooner done than handed over.
  if (content.length <= MOST_AT_ONCE) return writeLooseObject(repository, type, content);
  const bytes = withHeader(type, content);
  const digest = await webcrypto.subtle.digest(DIGESTS[repository.objectFormat], bytes);
  const name = Buffer.from(digest).toString("hex");
  const { folder, path, temporary } = placeOf(repository.objectsDir, name);
  if (freshen(path)) return name;
  const packed = await deflateAside(bytes, FAST);
  await mkdir(folder, { recursive: true });
  try {
    await writeFile(temporary, packed, NEW_FILE);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  return name;
}

/** A few milliseconds. */
const MOST_AT_ONCE = 256 * 1024;
const FAST = { level: 1 };
const NEW_FILE = { flag: "wx", mode: 0o444 };
const DIGESTS = { sha1: "SHA-1", sha256: "SHA-256" } as const;
const deflateAside = promisify<Buffer, typeof FAST, Buffer>(deflate);

function withHeader(type: ObjectType, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
}

function placeOf(objectsDir: string, name: Sha): { folder: string; path: string; temporary: string } {
  const folder = join(objectsDir, name.slice(0, 2));
  const temporary = join(folder, `tmp_obj_${randomBytes(6).toString("hex")}`);
  return { folder, path: join(folder, name.slice(2)), temporary };
}

function freshen(path: string): boolean {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isFile()) return false;
  try {
    const now = new Date();
    utimesSync(path, now, now);
    return true;
  } catch {
    // Somebody else's, or just packed: then it is written again.
    return false;
  }
}
