import type { OutputChunk } from "../../ports/process-supervisor.ts";

export type Line = {
  readonly stream: OutputChunk["stream"];
  readonly text: string;
  /** Bytes left out at the end of a line that is too long. */
  readonly cutBytes: number;
};

export type ReadLinesOptions = {
  readonly maxLineBytes?: number;
  readonly now?: () => number;
};

const LF = 0x0a;
const CR = 0x0d;
const DOTS_AFTER_MS = 5_000;

/**
 * The lines of a program's output, each stream on its own. A carriage return ends a line too, whether or not a line feed
 * follows: progress bars are signs of life. So are rows of dots, which are handed on every few seconds although their
 * line goes on; what may become a JSON line is never taken apart.
 *
 * Bytes that are no UTF-8 become U+FFFD. Memory is bounded by the longest line allowed.
 */
export async function* readLines(
  output: AsyncIterable<OutputChunk>,
  options: ReadLinesOptions = {},
): AsyncGenerator<Line> {
  const { maxLineBytes = 1024 * 1024, now = () => performance.now() } = options;
  const buffers = {
    stdout: createLineBuffer(maxLineBytes, now),
    stderr: createLineBuffer(maxLineBytes, now),
  };
  for await (const { stream, data } of output) {
    for (const line of buffers[stream].push(data)) yield { stream, ...line };
  }
  for (const stream of ["stdout", "stderr"] as const) {
    for (const line of buffers[stream].end()) yield { stream, ...line };
  }
}

type BareLine = Omit<Line, "stream">;

function createLineBuffer(maxLineBytes: number, now: () => number) {
  let held = Buffer.allocUnsafe(Math.min(1024, maxLineBytes));
  let length = 0;
  let cutBytes = 0;
  let openSince = 0;
  let afterReturn = false;

  const keep = (bytes: Buffer): void => {
    if (length === 0) openSince = now();
    const fits = Math.min(bytes.length, maxLineBytes - length);
    if (length + fits > held.length) {
      const larger = Buffer.allocUnsafe(Math.min(maxLineBytes, Math.max(length + fits, held.length * 2)));
      held.copy(larger, 0, 0, length);
      held = larger;
    }
    bytes.copy(held, length, 0, fits);
    length += fits;
    cutBytes += bytes.length - fits;
  };

  const take = (end: "of-line" | "for-now"): BareLine => {
    const bytes = held.subarray(0, length);
    const whole = end === "of-line" && cutBytes === 0 ? bytes : withoutHalfCharacter(bytes);
    const rest = length - whole.length;
    const text = whole.toString("utf8");
    const cut = cutBytes;
    cutBytes = 0;
    length = 0;
    if (end === "of-line") return { text, cutBytes: cut === 0 ? 0 : cut + rest };
    keep(Buffer.from(bytes.subarray(whole.length)));
    return { text, cutBytes: cut };
  };

  return {
    *push(data: Buffer): Generator<BareLine> {
      let from = afterReturn && data[0] === LF ? 1 : 0;
      if (data.length > 0) afterReturn = false;
      let feed = from;
      let back = from;
      while (from < data.length) {
        // Looked for anew only when passed, so that a chunk of nothing but returns takes no longer than another.
        if (feed <= from) feed = find(data, LF, from);
        if (back <= from) back = find(data, CR, from);
        const end = Math.min(feed, back);
        keep(data.subarray(from, end));
        if (end === data.length) break;
        yield take("of-line");
        from = end + 1;
        if (data[end] !== CR) continue;
        if (from === data.length) afterReturn = true;
        else if (data[from] === LF) from += 1;
      }
      if (length > 0 && now() - openSince >= DOTS_AFTER_MS && !mayBeJson(held.subarray(0, length))) {
        const line = take("for-now");
        if (line.text !== "") yield line;
      }
    },
    *end(): Generator<BareLine> {
      if (length > 0) yield take("of-line");
    },
  };
}

function find(data: Buffer, byte: number, from: number): number {
  const at = data.indexOf(byte, from);
  return at < 0 ? data.length : at;
}

function mayBeJson(bytes: Buffer): boolean {
  return bytes.toString("latin1").trimStart().startsWith("{");
}

/** A cut in the middle of a character leaves its first bytes behind; they say nothing. */
function withoutHalfCharacter(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(4, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0b1100_0000) === 0b1000_0000) continue;
    const needs = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needs > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}
