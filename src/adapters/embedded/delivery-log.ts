import {
  appendFileSync,
  closeSync,
  constants,
  fdatasync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

/**
 * Lines that are only ever added, in a file for each day, so that what is old goes away with its file and nothing is
 * ever rewritten.
 *
 * All lines that come while the disk is busy share the next flush: twenty at once cost two flushes, not twenty. Each line
 * is one write at the end of the file, which the system keeps whole between processes, and has a newline on both sides,
 * so that the half line of a crash spoils no other.
 *
 * Only the flush leaves the thread; the other calls take microseconds, and each way through the thread pool would take
 * longer than the call.
 */
export type DeliveryLog = {
  append(line: string): Appended;
  /** Resolves when everything that stands in this file by now is on the disk, whoever wrote it. */
  flush(file: string): Promise<void>;
  /** Every whole line since the last look, oldest first, this process's own and others'. `reset` when all begins anew. */
  news(): { readonly reset: boolean; readonly lines: readonly LogLine[] };
  read(place: LinePlace): string;
  /** Takes files away, oldest first, up to the first that is to stay. Returns those that are gone. */
  removeOld(isOld: (day: string, file: string) => boolean): string[];
};

export type Appended = {
  /** Resolves when the line is on the disk. */
  readonly flushed: Promise<void>;
  /** Where it stands when it is the only news; else `news` has it, in its turn. */
  readonly alone: LinePlace | null;
};
export type LinePlace = { readonly file: string; readonly offset: number; readonly length: number };
export type LogLine = { readonly text: string; readonly place: LinePlace };

type Batch = { readonly path: string; readonly fd: number; readonly flushed: Promise<void> };

const NAME = /^(\d{4}-\d\d-\d\d)\.log$/;
const NEWLINE = 0x0a;
const flushFile = promisify(fdatasync);

export function createDeliveryLog(root: string, now: () => number): DeliveryLog {
  /** How far each file has been read; null before the first look. */
  let offsets: Map<string, number> | null = null;
  /** Open for more until the flush before it has ended. */
  let gathering: Batch | null = null;
  let lastFlush: Promise<void> = Promise.resolve();

  const today = (): string => join(root, `${new Date(now()).toISOString().slice(0, 10)}.log`);

  function gather(path: string): Batch {
    if (gathering?.path === path) return gathering;
    const fd = openForAppending(path);
    const flushed = lastFlush
      .then(() => {
        if (gathering?.fd === fd) gathering = null;
        return flushFile(fd);
      })
      .finally(() => closeSync(fd));
    gathering = { path, fd, flushed };
    lastFlush = flushed.catch(() => {});
    return gathering;
  }

  function readNews(path: string, known: Map<string, number>): LogLine[] | "shrunk" {
    const offset = known.get(path) ?? 0;
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (size < offset) return "shrunk";
    if (size === offset) return [];
    const bytes = readBytes(path, offset, size - offset);
    const lines: LogLine[] = [];
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      const length = end - start;
      const place = { file: path, offset: offset + start, length };
      if (length > 0) lines.push({ text: bytes.toString("utf8", start, end), place });
      start = end + 1;
    }
    known.set(path, offset + start);
    return lines;
  }

  function news(): { reset: boolean; lines: LogLine[] } {
    const reset = offsets === null;
    const known = offsets ?? new Map<string, number>();
    offsets = known;
    // Around midnight another may still have added to the file of yesterday.
    const paths = reset ? filesIn(root) : [...known.keys()].slice(-2);
    const last = today();
    if (!paths.includes(last)) paths.push(last);
    const lines: LogLine[] = [];
    for (const path of paths) {
      const found = readNews(path, known);
      if (found === "shrunk") {
        // Somebody took the files away: what was read from them is no more.
        offsets = null;
        return news();
      }
      for (const line of found) lines.push(line);
    }
    return { reset, lines };
  }

  return {
    news,
    append(line) {
      const { path, fd, flushed } = gather(today());
      const bytes = Buffer.from(`\n${line}\n`);
      appendFileSync(fd, bytes);
      const { size } = fstatSync(fd);
      const offset = size - bytes.length;
      if (offsets?.get(path) !== offset) return { flushed, alone: null };
      offsets.set(path, size);
      return { flushed, alone: { file: path, offset: offset + 1, length: bytes.length - 2 } };
    },
    flush: async (file) => gather(file).flushed,
    read: ({ file, offset, length }) => readBytes(file, offset, length).toString("utf8"),
    removeOld(isOld) {
      const gone: string[] = [];
      for (const path of filesIn(root)) {
        if (!isOld(dayOf(path), path)) break;
        rmSync(path, { force: true });
        offsets?.delete(path);
        gone.push(path);
      }
      return gone;
    },
  };
}

function filesIn(root: string): string[] {
  try {
    return readdirSync(root)
      .filter((name) => NAME.test(name))
      .sort()
      .map((name) => join(root, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

function dayOf(path: string): string {
  return path.slice(-"2026-01-01.log".length, -".log".length);
}

/** A new name is on the disk once the folder that holds it is; the folders may be new, too. */
function openForAppending(path: string): number {
  try {
    return openSync(path, constants.O_WRONLY | constants.O_APPEND);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  const folder = dirname(path);
  const made = mkdirSync(folder, { recursive: true, mode: 0o700 });
  const fd = openSync(path, "a", 0o600);
  syncFolder(folder);
  for (let above = folder; made !== undefined && above.length >= made.length; above = dirname(above))
    syncFolder(dirname(above));
  return fd;
}

function syncFolder(folder: string): void {
  const fd = openSync(folder, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function readBytes(path: string, position: number, length: number): Buffer {
  const fd = openSync(path, "r");
  try {
    const buffer = Buffer.alloc(length);
    let filled = 0;
    while (filled < length) {
      const count = readSync(fd, buffer, filled, length - filled, position + filled);
      if (count === 0) break;
      filled += count;
    }
    return buffer.subarray(0, filled);
  } finally {
    closeSync(fd);
  }
}
