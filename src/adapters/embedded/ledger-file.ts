import {
  appendFileSync,
  closeSync,
  constants,
  fdatasync,
  fstatSync,
  ftruncateSync,
  openSync,
  type Stats,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { DamagedRecord, InternalError, StoreTrouble } from "../../core/errors.ts";
import type { LedgerWords } from "../../core/report/audit/ledger-words.ts";
import type { AppendOutcome, Ledger } from "../../ports/ledger-store.ts";
import { readBytes } from "../os/read-bytes.ts";
import { syncFolder } from "../os/sync-folder.ts";
import { type BatchLines, MARK_BYTES, NEWLINE } from "./batch-line.ts";
import { foreignWriters } from "./foreign-writers.ts";

/**
 * One ledger: a file of lines that only grows. A batch is one line, and a line counts once its newline is there, so a
 * batch whose writer died half way never happened. Readers skip such a tail without touching it, since it may just as
 * well be a batch in the making; the next writer cuts it off.
 *
 * What was read once is kept, and only the bytes behind it are read again: a ledger of n batches costs n steps, not n².
 * That is sound while the file is the one that was read. It is not when a ledger was removed and begun anew, or when a
 * failed write was taken back; so every line begins with a random mark, and the mark of the last line that was read is
 * looked up again before anything is read behind it. An inode number would not do: they are used again at once.
 *
 * Only the flush, which waits for the disk, leaves the thread. The other calls take microseconds; with each of them sent
 * through the thread pool an append took more than twice as long.
 */
export type LedgerFile<E> = {
  read(): Ledger<E>;
  /** The caller holds the lock of the ledger. Events that the ledger could not give back are a defect. */
  append(expectedVersion: number, events: readonly E[]): Promise<AppendOutcome>;
};

export type LedgerFileOptions<E> = {
  readonly path: string;
  readonly lines: BatchLines<E>;
  readonly words: LedgerWords;
};

type Known<E> = {
  readonly events: E[];
  lines: number;
  /** Behind the last whole line. */
  offset: number;
  last: { readonly offset: number; readonly mark: Buffer } | null;
  /** Changes whenever the file does; null when we can't be sure. */
  stamp: string | null;
};

const flush = promisify(fdatasync);
const CHUNK_BYTES = 64 * 1024;
const NO_LEDGER = { version: 0, events: [] };

/** Nothing may be asked of it before an append has ended: the store lets calls in one at a time. */
export function createLedgerFile<E>({ path, lines, words }: LedgerFileOptions<E>): LedgerFile<E> {
  let known = nothingKnown<E>();

  function read(): Ledger<E> {
    const stats = unlessMissing(() => statSync(path));
    if (stats === null) {
      known = nothingKnown();
      return NO_LEDGER;
    }
    if (stampOf(stats) !== known.stamp) {
      const file = unlessMissing(() => openSync(path, "r"));
      if (file === null) return NO_LEDGER;
      try {
        catchUpUnlocked(file);
      } finally {
        closeSync(file);
      }
    }
    return { version: known.events.length, events: known.events };
  }

  async function append(expectedVersion: number, events: readonly E[]): Promise<AppendOutcome> {
    const flags = constants.O_RDWR | constants.O_APPEND | (expectedVersion === 0 ? constants.O_CREAT : 0);
    const file = unlessMissing(() => openSync(path, flags, 0o600));
    if (file === null) return { kind: "conflict", version: 0 };
    try {
      const size = catchUp(file);
      const version = known.events.length;
      if (version !== expectedVersion) return { kind: "conflict", version };
      if (events.length === 0) return { kind: "appended", version };
      const line = lines.encode(version + 1, events);
      const batch = lines.decode(line, version + 1);
      if (batch.kind === "damaged")
        throw new InternalError(`events that can't be read back: ${batch.reason}`);
      if (size > known.offset) ftruncateSync(file, known.offset);
      if (version === 0) syncFolders(dirname(path));
      await writeWhole(file, line);
      accept(line, batch.events);
      known.stamp = stampOf(fstatSync(file));
      return { kind: "appended", version: known.events.length };
    } finally {
      closeSync(file);
    }
  }

  async function writeWhole(file: number, line: Buffer): Promise<void> {
    known.stamp = null;
    try {
      appendFileSync(file, line);
      await flush(file);
    } catch (error) {
      // If this fails too, what stays behind is a tail without a newline, or a whole batch; never half of one.
      succeeds(() => ftruncateSync(file, known.offset));
      throw error;
    }
  }

  /** A reader holds no lock, so it may read across a tail that a writer is just cutting off; then it looks again. */
  function catchUpUnlocked(file: number): void {
    if (succeeds(() => catchUp(file))) return;
    known = nothingKnown();
    catchUp(file);
  }

  /** Reads what is new and returns the size of the file. */
  function catchUp(file: number): number {
    const stats = fstatSync(file);
    const stamp = stampOf(stats);
    if (stamp === known.stamp) return stats.size;
    const writers = stats.size === 0 ? null : foreignWriters(stats);
    if (writers !== null) throw untrusted(writers);
    if (!isSameLedger(file, stats.size)) known = nothingKnown();
    known.stamp = null;
    const bytes = readBytes(file, known.offset, stats.size - known.offset);
    for (let start = 0, end = 0; ; start = end) {
      end = bytes.indexOf(NEWLINE, start) + 1;
      if (end === 0) break;
      const line = bytes.subarray(start, end);
      const batch = lines.decode(line, known.events.length + 1);
      if (batch.kind === "damaged") throw damaged(known.lines + 1, batch.reason);
      accept(line, batch.events);
    }
    known.stamp = stamp;
    return stats.size;
  }

  function isSameLedger(file: number, size: number): boolean {
    if (known.last === null) return true;
    if (size < known.offset) return false;
    return readBytes(file, known.last.offset, MARK_BYTES).equals(known.last.mark);
  }

  function accept(line: Buffer, events: readonly E[]): void {
    // A copy: a view would keep the whole read buffer alive.
    known.last = { offset: known.offset, mark: Buffer.from(line.subarray(0, MARK_BYTES)) };
    known.offset += line.length;
    known.lines += 1;
    for (const event of events) known.events.push(event);
  }

  /** Whoever writes here commands whatever Loom does for this user. */
  function untrusted(writers: string): StoreTrouble {
    return new StoreTrouble(`The ledger ${path} can't be trusted: ${writers}.`, {
      next: `If you know why and trust what is in it, make it yours alone with \`chown\` and \`chmod go-w\`, or ${words.forget}`,
    });
  }

  function damaged(line: number, reason: string): DamagedRecord {
    return new DamagedRecord(
      `The ledger is damaged, or was written by another version of Loom: ${path}, line ${line}: ${reason}`,
      { next: `Put the file back from a copy, or ${words.forget}` },
    );
  }

  return { read, append };
}

/** Whether the file holds a batch, found out without reading more than the first. */
export function hasBatch(path: string): boolean {
  const file = unlessMissing(() => openSync(path, "r"));
  if (file === null) return false;
  try {
    for (let position = 0; ; position += CHUNK_BYTES) {
      const chunk = readBytes(file, position, CHUNK_BYTES);
      if (chunk.includes(NEWLINE)) return true;
      if (chunk.length < CHUNK_BYTES) return false;
    }
  } finally {
    closeSync(file);
  }
}

function nothingKnown<E>(): Known<E> {
  return { events: [], lines: 0, offset: 0, last: null, stamp: null };
}

function stampOf(stats: Stats): string {
  return `${stats.ino} ${stats.size} ${stats.mtimeMs}`;
}

/** A new name is on the disk once the folder that holds it is; the folders may be new, too. */
function syncFolders(folder: string): void {
  for (const path of [folder, dirname(folder), dirname(dirname(folder))]) syncFolder(path);
}

function succeeds(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

function unlessMissing<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "";
    // ENOTDIR: a foreign file stands where a ledger's folder would.
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw error;
  }
}
