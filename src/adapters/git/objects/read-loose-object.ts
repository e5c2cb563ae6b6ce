import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import { isSha, type Sha } from "../../../core/ids.ts";
import type { GitObject, Repository } from "../../../ports/git.ts";
import { type ObjectType, objectName } from "./loose-object.ts";

/** As it lies on the disk, and as it is; what is larger is not for this thread. */
const MOST_PACKED = 64 * 1024;
const MOST = 1024 * 1024;

/**
 * An object that has a file of its own, as all have that were made or fetched a moment ago. null says nothing: it may be in a
 * pack, too large, or damaged, and git has to tell.
 */
export function readLooseObject(
  { objectsDir, objectFormat }: Pick<Repository, "objectsDir" | "objectFormat">,
  name: Sha,
): GitObject | null {
  if (!isSha(name)) return null;
  const packed = readSmallFile(join(objectsDir, name.slice(0, 2), name.slice(2)));
  if (packed === null) return null;
  try {
    const bytes = inflateSync(packed, { maxOutputLength: MOST });
    const end = bytes.indexOf(0);
    const [, type, size] = /^(blob|commit|tree) (\d+)$/.exec(bytes.toString("latin1", 0, end)) ?? [];
    const content = bytes.subarray(end + 1);
    if (type === undefined || Number(size) !== content.length) return null;
    // Unlike git, which believes the name of a file.
    if (objectName(objectFormat, type as ObjectType, content) !== name) return null;
    return { type, size: content.length, content };
  } catch {
    return null;
  }
}

function readSmallFile(path: string): Buffer | null {
  let handle: number;
  try {
    handle = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return null;
  }
  try {
    const found = fstatSync(handle);
    return found.isFile() && found.size <= MOST_PACKED ? readFileSync(handle) : null;
  } finally {
    closeSync(handle);
  }
}
