import { createHash, randomBytes } from "node:crypto";
import { lstatSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import type { Sha } from "../../core/ids.ts";
import type { Repository } from "../../ports/git.ts";

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
  const folder = join(objectsDir, name.slice(0, 2));
  const path = join(folder, name.slice(2));
  if (freshen(path)) return name;
  const packed = deflateSync(Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]), {
    level: 1,
  });
  mkdirSync(folder, { recursive: true });
  const temporary = join(folder, `tmp_obj_${randomBytes(6).toString("hex")}`);
  try {
    writeFileSync(temporary, packed, { flag: "wx", mode: 0o444 });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  return name;
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
