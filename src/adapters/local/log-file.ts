import { appendFileSync, closeSync, fstatSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { messageOf, UserError } from "../../core/errors.ts";
import type { LogWriter } from "../../ports/run-files.ts";

const BUFFER_CHARS = 64 * 1024;

/**
 * Appends lines to a log of at most `maxBytes`. What does not fit is counted, and the count is the last line that this
 * writer leaves. Lines reach the file at the end of the turn of the event loop that brought them, many in one write.
 */
export function openLogFile(path: string, maxBytes: number): LogWriter {
  const file = openToAppend(path);
  let sandbox = maxBytes - fstatSync(file).size;
  let cutBytes = 0;
  let pending = "";
  let flushSoon: NodeJS.Immediate | null = null;
  let failure: unknown = null;

  function flush(): void {
    if (flushSoon !== null) clearImmediate(flushSoon);
    flushSoon = null;
    const text = pending;
    pending = "";
    if (text === "" || failure !== null) return;
    try {
      appendFileSync(file, text);
    } catch (error) {
      // A log is no truth: the work goes on, and whoever closes the log is told.
      failure = error;
    }
  }

  function skip(line: string): boolean {
    if (cutBytes === 0) return false;
    cutBytes += Buffer.byteLength(line) + 1;
    return true;
  }

  function write(line: string): void {
    // Once full it stays full: no short line may stand behind a gap.
    if (skip(line)) return;
    const text = `${line}\n`;
    const bytes = Buffer.byteLength(text);
    if (bytes > sandbox) {
      cutBytes += bytes;
      return;
    }
    sandbox -= bytes;
    pending += text;
    if (pending.length >= BUFFER_CHARS) flush();
    else flushSoon ??= setImmediate(flush);
  }

  async function close(): Promise<void> {
    if (cutBytes > 0) pending += `[Loom cut ${cutBytes} bytes here: a log holds ${maxBytes} bytes.]\n`;
    flush();
    closeSync(file);
    if (failure !== null) throw failedLog(path, failure);
  }

  return { path, write, skip, close };
}

function openToAppend(path: string): number {
  try {
    mkdirSync(dirname(path), { recursive: true });
    return openSync(path, "a");
  } catch (error) {
    throw failedLog(path, error);
  }
}

function failedLog(path: string, error: unknown): UserError {
  return new UserError(`Failed to write the log ${path}: ${messageOf(error)}`, {
    next: "See that there is space on the disk and that the folder can be written.",
    cause: error,
  });
}
