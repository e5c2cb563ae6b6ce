import {
  appendFileSync,
  closeSync,
  existsSync,
  fdatasyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { isSha, type Sha } from "../../../core/ids.ts";
import type { RefMove, RefReason, Repository } from "../../../ports/git.ts";
import { formatSignature } from "../objects/commit-facts.ts";

export type RefPlace = Pick<Repository, "commonDir" | "refFormat" | "objectFormat" | "refLog" | "shared"> & {
  /** Of the checkout whose HEAD may stand on one of them. */
  readonly gitDir: string;
};

/**
 * Moves refs of a person's repository as `git update-ref` does, without a process: behind the same locks of the refs, by the
 * same files, with the same lines in the same logs. False when git has to do it or to say what is wrong: refs are kept
 * otherwise, one is packed, stands for another, is not where it should be or is locked, or a name is in the way. Nothing has
 * moved then, unless the disk failed between two of them.
 */
export function moveRefs(place: RefPlace, moves: readonly RefMove[], reason: RefReason): boolean {
  if (place.refFormat !== "files" || place.refLog === "all" || place.shared) return false;
  const held = new Map<string, string>();
  try {
    const head = headOf(place);
    if (moves.some(({ ref }) => ref === head) && existsSync(join(place.gitDir, "HEAD.lock"))) return false;
    const olds = new Map<string, Sha>();
    for (const { ref, to, from } of moves) {
      const path = join(place.commonDir, ref);
      if (!isName(place, to) || !isFree(place, ref)) return false;
      writeLock(path, to);
      held.set(path, `${path}.lock`);
      // Only now nobody else can move it.
      const old = readRef(place, path);
      if (old === undefined || (from !== undefined && old !== from)) return false;
      // Somebody may have packed it just before, which takes its file away.
      if (old === null && !isFree(place, ref)) return false;
      olds.set(ref, old ?? "0".repeat(to.length));
    }
    for (const move of moves)
      note(place, move, { old: olds.get(move.ref) ?? "", reason, isAtHead: move.ref === head });
    for (const [path, lock] of held) {
      renameSync(lock, path);
      held.delete(path);
    }
    return true;
  } catch (error) {
    // A lock of somebody else's, a folder where a file has to be, a full disk: git says it better.
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return false;
  } finally {
    for (const lock of held.values()) rmSync(lock, { force: true });
  }
}

/** Its content reaches the disk first, as with git; the objects that git writes loose don't wait for that. */
function writeLock(path: string, to: Sha): void {
  mkdirSync(dirname(path), { recursive: true });
  const lock = `${path}.lock`;
  const file = openSync(lock, "wx", 0o666);
  try {
    writeSync(file, `${to}\n`);
    fdatasyncSync(file);
  } catch (error) {
    rmSync(lock, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

/** No other name is in the way, and nothing is known of this one but the file that it has, if any. */
function isFree({ commonDir }: RefPlace, ref: string): boolean {
  const found = lstatSync(join(commonDir, ref), { throwIfNoEntry: false });
  if (found) return found.isFile();
  const packed = join(commonDir, "packed-refs");
  if (!existsSync(packed)) return true;
  const names = readFileSync(packed, "utf8");
  if (names.includes(` ${ref}\n`) || names.includes(` ${ref}/`)) return false;
  for (let above = dirname(ref); above !== "refs"; above = dirname(above))
    if (names.includes(` ${above}\n`)) return false;
  return true;
}

/** null: it is not there. undefined: it stands for another, or is nothing that git would write. */
function readRef(place: RefPlace, path: string): Sha | null | undefined {
  if (!existsSync(path)) return null;
  const text = readFileSync(path, "utf8").replace(/\n$/, "");
  return isName(place, text) ? text : undefined;
}

function isName({ objectFormat }: RefPlace, text: string): boolean {
  return isSha(text) && text.length === (objectFormat === "sha1" ? 40 : 64);
}

function headOf({ gitDir }: RefPlace): string | null {
  return /^ref: (refs\/heads\/\S+)\n$/.exec(readFileSync(join(gitDir, "HEAD"), "utf8"))?.[1] ?? null;
}

type Note = { readonly old: Sha; readonly reason: RefReason; readonly isAtHead: boolean };

function note(place: RefPlace, { ref, to }: RefMove, { old, reason, isAtHead }: Note): void {
  const line = `${old} ${to} ${formatSignature(reason.by)}\t${reason.message.replace(/\s+/g, " ").trim()}\n`;
  const isBranch = ref.startsWith("refs/heads/");
  if (old !== to) appendTo(join(place.commonDir, "logs", ref), line, isBranch && place.refLog === "branches");
  if (isAtHead) appendTo(join(place.gitDir, "logs", "HEAD"), line, place.refLog === "branches");
}

/** One that is there already is kept up, whatever the settings say by now. */
function appendTo(log: string, line: string, isWanted: boolean): void {
  if (!isWanted && !existsSync(log)) return;
  mkdirSync(dirname(log), { recursive: true });
  appendFileSync(log, line);
}
