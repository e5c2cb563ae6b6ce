import { type BigIntStats, statSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type ObjectReader, objectsOf } from "../objects/object-reader.ts";

/**
 * Refs as they lie in a repository: one file each, and those that were packed in one file for all. Every push begins with a
 * list of them, so what a folder holds is remembered. Git renames a lock to change a ref, which changes the time of its folder.
 */

const LOOSE = /^[0-9a-f]{40}\n?$/;
const TICK_MS = 100n;

type RefFolder = {
  readonly ino: bigint;
  readonly mtimeNs: bigint;
  readonly folders: readonly string[];
  readonly refs: readonly [ref: string, sha: string][];
};

const remembered = new WeakMap<ObjectReader, Map<string, RefFolder>>();

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

/** All below a prefix, which may end inside a name, sorted by name; `without` leaves out what is below a folder of refs. */
export async function listRefs(
  gitDir: string,
  prefix: string,
  { without = null }: { readonly without?: string | null } = {},
): Promise<{ ref: string; sha: string }[]> {
  const found = new Map<string, string>();
  // Whoever asks may write anything; no ref has such a name, and it would be a path out of the repository.
  if (!prefix.startsWith("refs/") || prefix.includes("..")) return [];
  // Loose ones come first: one that is packed meanwhile is found in either place.
  const loose = await readFolder(gitDir, prefix.slice(0, prefix.lastIndexOf("/") + 1), without);
  const isLeftOut = (ref: string): boolean => without !== null && ref.startsWith(without);
  for (const [ref, sha] of [...(await readPackedRefs(gitDir)), ...loose])
    if (ref.startsWith(prefix) && !isLeftOut(ref)) found.set(ref, sha);
  return [...found].map(([ref, sha]) => ({ ref, sha })).sort((one, other) => (one.ref < other.ref ? -1 : 1));
}

async function readFolder(gitDir: string, top: string, without: string | null): Promise<[string, string][]> {
  const found: [string, string][] = [];
  const next = [top];
  for (let folder = next.pop(); folder !== undefined; folder = next.pop()) {
    if (folder === without) continue;
    const state = statSync(join(gitDir, folder), { bigint: true, throwIfNoEntry: false });
    if (!state?.isDirectory()) continue;
    // Of those that are as they were there can be hundreds, so nothing is waited for.
    const { refs, folders } =
      knownFolder(gitDir, folder, state) ?? (await readEntries(gitDir, folder, state));
    found.push(...refs);
    for (const name of folders) next.push(`${folder}${name}/`);
  }
  return found;
}

function knownFolder(gitDir: string, folder: string, { ino, mtimeNs }: BigIntStats): RefFolder | null {
  const known = foldersOf(gitDir).get(folder);
  return known && known.ino === ino && known.mtimeNs === mtimeNs ? known : null;
}

async function readEntries(gitDir: string, folder: string, state: BigIntStats): Promise<RefFolder> {
  const entries = await readdir(join(gitDir, folder), { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => !entry.isDirectory() && !entry.name.endsWith(".lock"));
  const refs = await Promise.all(
    names.map(async ({ name }): Promise<[string, string][]> => {
      const sha = await readLooseRef(gitDir, `${folder}${name}`);
      return sha === null ? [] : [[`${folder}${name}`, sha]];
    }),
  );
  const { ino, mtimeNs } = state;
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const found = { ino, mtimeNs, folders, refs: refs.flat() };
  // What changes again within a tick of the clock would look the same.
  if (BigInt(Date.now()) - state.mtimeMs > TICK_MS) foldersOf(gitDir).set(folder, found);
  else foldersOf(gitDir).delete(folder);
  return found;
}

/** For as long as somebody asks about the repository. */
function foldersOf(gitDir: string): Map<string, RefFolder> {
  const reader = objectsOf(gitDir);
  const folders = remembered.get(reader) ?? new Map<string, RefFolder>();
  remembered.set(reader, folders);
  return folders;
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
