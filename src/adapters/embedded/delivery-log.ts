import {
  closeSync,
  constants,
  fdatasync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { readBytes } from "../os/read-bytes.ts";
import { syncFolder } from "../os/sync-folder.ts";

/**
 * Lines that are only ever added, in a file for each day, so that what is old goes away with its file and nothing is
 * ever rewritten.
 *
 * All lines that come while the disk is busy share the next flush: twenty at once cost two flushes, not twenty. Each line
 * is one write at the end of the file, which the system keeps whole between processes, and has a newline on both sides,
 * so that the half line of a crash spoils no other.
 *
 * Only the flush leaves the thread; the other calls take microseconds, and each way through the thread pool would take
 * longer than the call. The file of the day stays open, as long as it is the one that its name leads to.
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

type OpenFile = {
  readonly path: string;
  readonly fd: number;
  readonly inode: number;
  /** Why it could not be flushed. */
  trouble: unknown;
};
type Batch = { readonly file: OpenFile; readonly flushed: Promise<void> };
/** How far a file has been read, and which one of its name that was. */
type Known = { readonly offset: number; readonly inode: number };

const DAY_MS = 24 * 60 * 60 * 1000;
const NAME = /^(\d{4}-\d\d-\d\d)\.log$/;
const NEWLINE = 0x0a;
const flushFile = promisify(fdatasync);

export function createDeliveryLog(root: string, now: () => number): DeliveryLog {
  /** null before the first look. */
  let known: Map<string, Known> | null = null;
  let current: OpenFile | null = null;
  /** Open for more until the flush before it has ended. */
  let gathering: Batch | null = null;
  let lastFlush: Promise<void> = Promise.resolve();
  let today = { day: Number.NaN, path: "" };

  function fileOfToday(): string {
    const day = Math.floor(now() / DAY_MS);
    if (day !== today.day)
      today = { day, path: join(root, `${new Date(day * DAY_MS).toISOString().slice(0, 10)}.log`) };
    return today.path;
  }

  /** The last look at the folder tells whether the open file is still the one of its name. */
  function open(path: string): OpenFile {
    if (current?.path === path && current.inode === known?.get(path)?.inode) return current;
    const fd = openForAppending(path);
    const file = { path, fd, inode: fstatSync(fd).ino, trouble: null };
    if (current) leave(current);
    current = file;
    return file;
  }

  function leave(file: OpenFile): void {
    if (current !== file) return;
    current = null;
    lastFlush.then(() => closeSync(file.fd));
  }

  function gather(path: string): Batch {
    const file = open(path);
    if (gathering?.file === file) return gathering;
    const flushed = lastFlush.then(() => {
      if (gathering?.file === file) gathering = null;
      return flush(file);
    });
    gathering = { file, flushed };
    lastFlush = flushed.catch(() => {});
    return gathering;
  }

  /** The system tells of a failure once, and it may have met the lines that came meanwhile, too. */
  async function flush(file: OpenFile): Promise<void> {
    if (file.trouble !== null) throw file.trouble;
    try {
      await flushFile(file.fd);
    } catch (error) {
      file.trouble = error;
      leave(file);
      throw error;
    }
  }

  function readNews(path: string, known: Map<string, Known>): LogLine[] | "replaced" {
    const found = statSync(path, { throwIfNoEntry: false });
    const size = found?.size ?? 0;
    const inode = found?.ino ?? 0;
    const before = known.get(path) ?? { offset: 0, inode };
    if (size < before.offset || inode !== before.inode) return "replaced";
    if (size === before.offset) return [];
    const bytes = readBytesAt(path, before.offset, size - before.offset);
    const lines: LogLine[] = [];
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      const length = end - start;
      const place = { file: path, offset: before.offset + start, length };
      if (length > 0) lines.push({ text: bytes.toString("utf8", start, end), place });
      start = end + 1;
    }
    known.set(path, { offset: before.offset + start, inode });
    return lines;
  }

  function news(): { reset: boolean; lines: LogLine[] } {
    const reset = known === null;
    known ??= new Map<string, Known>();
    // Around midnight another may still have added to the file of yesterday.
    const paths = reset ? filesIn(root) : [...known.keys()].slice(-2);
    const last = fileOfToday();
    if (!paths.includes(last)) paths.push(last);
    const lines: LogLine[] = [];
    for (const path of paths) {
      const found = readNews(path, known);
      if (found === "replaced") {
        // Somebody took the files away: what was read from them is no more.
        known = null;
        return news();
      }
      for (const line of found) lines.push(line);
    }
    return { reset, lines };
  }

  return {
    news,
    append(line) {
      const { file, flushed } = gather(fileOfToday());
      const { path, fd } = file;
      const bytes = Buffer.from(`\n${line}\n`);
      for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written);
      const { size } = fstatSync(fd);
      const offset = size - bytes.length;
      if (known?.get(path)?.offset !== offset) return { flushed, alone: null };
      known.set(path, { offset: size, inode: file.inode });
      return { flushed, alone: { file: path, offset: offset + 1, length: bytes.length - 2 } };
    },
    flush: async (file) => gather(file).flushed,
    read: ({ file, offset, length }) => readBytesAt(file, offset, length).toString("utf8"),
    removeOld(isOld) {
      const gone: string[] = [];
      for (const path of filesIn(root)) {
        if (!isOld(dayOf(path), path)) break;
        rmSync(path, { force: true });
        known?.delete(path);
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

function readBytesAt(path: string, position: number, length: number): Buffer {
  const fd = openSync(path, "r");
  try {
    return readBytes(fd, position, length);
  } finally {
    closeSync(fd);
  }
}
