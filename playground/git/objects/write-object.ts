import { createHash, randomUUID } from "node:crypto";
import { mkdir, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { deflate } from "node:zlib";

/** Stores an object as git stores a single one, without a process, and returns its name. */
export async function writeObject(gitDir: string, type: "commit", content: string): Promise<string> {
  const body = Buffer.from(content);
  const bytes = Buffer.concat([Buffer.from(`${type} ${body.length}\0`), body]);
  const sha = createHash("sha1").update(bytes).digest("hex");
  const folder = join(gitDir, "objects", sha.slice(0, 2));
  const path = join(folder, sha.slice(2));
  if (await stat(path).catch(() => null)) return sha;
  await mkdir(folder, { recursive: true });
  const temporary = join(folder, `tmp_obj_${randomUUID()}`);
  await writeFile(temporary, await promisify(deflate)(bytes), { mode: 0o444 });
  await rename(temporary, path);
  return sha;
}
