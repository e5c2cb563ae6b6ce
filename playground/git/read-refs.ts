import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Refs as they lie in a repository: one file each, and those that were packed in one file for all. */

const LOOSE = /^[0-9a-f]{40}\n?$/;

/** The name of a ref that this one stands for, as HEAD does; null when it has an id of its own, or is not there. */
export async function readSymbolicRef(gitDir: string, ref: string): Promise<string | null> {
  const text = await readText(join(gitDir, ref));
  return text?.startsWith("ref: ") ? text.slice(5).trim() : null;
}

/** What the file of a ref says; null when there is none. */
export async function readLooseRef(gitDir: string, ref: string): Promise<string | null> {
  const text = await readText(join(gitDir, ref));
  return text !== null && LOOSE.test(text) ? text.trim() : null;
}

/** All below a prefix, which may end inside a name, sorted by name. */
export async function listRefs(gitDir: string, prefix: string): Promise<{ ref: string; sha: string }[]> {
  const found = new Map<string, string>();
  // Whoever asks may write anything; no ref has such a name, and it would be a path out of the repository.
  if (!prefix.startsWith("refs/") || prefix.includes("..")) return [];
  // Loose ones come first: one that is packed meanwhile is found in either place.
  const loose = await readFolder(gitDir, prefix.slice(0, prefix.lastIndexOf("/") + 1));
  for (const [ref, sha] of [...(await readPackedRefs(gitDir)), ...loose])
    if (ref.startsWith(prefix)) found.set(ref, sha);
  return [...found].map(([ref, sha]) => ({ ref, sha })).sort((one, other) => (one.ref < other.ref ? -1 : 1));
}

async function readFolder(gitDir: string, folder: string): Promise<[string, string][]> {
  const entries = await readdir(join(gitDir, folder), { withFileTypes: true }).catch(() => []);
  const lists = await Promise.all(
    entries.map(async (entry): Promise<[string, string][]> => {
      const name = `${folder}${entry.name}`;
      if (entry.isDirectory()) return readFolder(gitDir, `${name}/`);
      const sha = entry.name.endsWith(".lock") ? null : await readLooseRef(gitDir, name);
      return sha === null ? [] : [[name, sha]];
    }),
  );
  return lists.flat();
}

async function readPackedRefs(gitDir: string): Promise<[string, string][]> {
  const text = (await readText(join(gitDir, "packed-refs"))) ?? "";
  return text.split("\n").flatMap((line): [string, string][] => {
    const [, sha, ref] = /^([0-9a-f]{40}) (.+)$/.exec(line) ?? [];
    return sha !== undefined && ref !== undefined ? [[ref, sha]] : [];
  });
}

async function readText(path: string): Promise<string | null> {
  return readFile(path, "utf8").catch(() => null);
}
