import { mkdir, open, readdir, readFile, rename, rm, rmdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { objectsOf } from "../objects/object-reader.ts";
import { runGit } from "../run-git.ts";
import { readLooseRef } from "./read-refs.ts";
import { isWellFormedRef } from "./well-formed-ref.ts";

const NOTHING = "0".repeat(40);

type Change = { readonly ref: string; readonly next: string | null; readonly expected?: string | null };

/** Refs of a repository change one after the other. */
const turns = new Map<string, Promise<unknown>>();

/**
 * Compare and swap, see `ModelGit.updateRef`. A name that can't stand beside those that exist (`a` and `a/b`) counts as
 * not as expected, too. What git does to the file of one ref is done here, behind the same lock; git itself is asked where
 * there is more to it.
 */
export async function updateRef(
  gitDir: string,
  ref: string,
  next: string | null,
  expected?: string | null,
): Promise<boolean> {
  const change: Change = { ref, next, ...(expected !== undefined && { expected }) };
  const before = turns.get(gitDir) ?? Promise.resolve();
  const done = before.then(async () => (await changeFile(gitDir, change)) ?? askGit(gitDir, change));
  const turn: Promise<unknown> = done
    .catch(() => {})
    .then(() => turns.get(gitDir) === turn && turns.delete(gitDir));
  turns.set(gitDir, turn);
  return done;
}

/** null: only git can tell. */
async function changeFile(gitDir: string, { ref, next, expected }: Change): Promise<boolean | null> {
  const path = join(gitDir, ref);
  if (!isWellFormedRef(ref) || (await isThere(join(gitDir, "packed-refs")))) return null;
  if (next !== null && (await objectsOf(gitDir).info(next))?.type !== "commit") return null;
  const text = await readFile(path, "utf8").catch(() => null);
  const now = await readLooseRef(gitDir, ref);
  // Deleting what must not exist is a question, not a change.
  if (next === null && expected === null) return now === null;
  if (text !== null && now === null) return null;
  if (expected !== undefined && now !== expected) return false;
  if (next === null && now === null) return null;
  const lock = `${path}.lock`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await removeEmptyFolders(path);
    if (await isThere(path, "folder")) return false;
    const file = await open(lock, "wx");
    await file.writeFile(`${next ?? NOTHING}\n`);
    await file.close();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // A part of the name is a ref already. A lock is somebody else's, and git waits for it.
    if (code === "ENOTDIR" || (code === "EEXIST" && !(await isThere(lock)))) return false;
    return null;
  }
  if (next !== null) {
    await rename(lock, path);
    return true;
  }
  await rm(path);
  await rm(lock);
  const [, kind = ""] = ref.split("/");
  const top = join(gitDir, "refs", kind);
  for (let folder = dirname(path); folder !== top; folder = dirname(folder))
    if (!(await removed(folder))) break;
  return true;
}

/** What was left behind where a name was deeper once. */
async function removeEmptyFolders(path: string): Promise<void> {
  if (!(await isThere(path, "folder"))) return;
  for (const name of await readdir(path)) await removeEmptyFolders(join(path, name));
  await removed(path);
}

async function removed(folder: string): Promise<boolean> {
  return rmdir(folder).then(
    () => true,
    () => false,
  );
}

async function isThere(path: string, kind: "any" | "folder" = "any"): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found !== null && (kind === "any" || found.isDirectory());
}

async function askGit(gitDir: string, { ref, next, expected }: Change): Promise<boolean> {
  const old = expected === undefined ? "" : (expected ?? NOTHING);
  if (next === null && expected === null) return !(await refExists(gitDir, ref));
  const command = next === null ? `delete ${ref}\0${old}\0` : `update ${ref}\0${next}\0${old}\0`;
  const { code, stderr } = await runGit(gitDir, ["update-ref", "-z", "--stdin"], {
    input: command,
    codes: [0, 128],
  });
  if (code === 0) return true;
  if (/cannot lock ref/.test(stderr)) return false;
  throw new Error(`failed to update ${ref}: ${stderr.trim()}`);
}

async function refExists(gitDir: string, ref: string): Promise<boolean> {
  return (await runGit(gitDir, ["show-ref", "--verify", "--quiet", "--", ref], { codes: [0, 1] })).code === 0;
}
