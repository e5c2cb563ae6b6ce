import { plainLines, plainText } from "../../../core/text/escape-text.ts";
import { countCodePoints, cutText } from "../../../core/text/text-width.ts";
import type { HarnessEvent } from "../../../ports/harness.ts";
import type { Line } from "../read-lines.ts";

/**
 * What agent CLIs write is looked at piece by piece, never as a whole shape: versions differ, and a field that is missing
 * or of another type must not cost the fields next to it.
 */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The object that a line holds; null for anything else, half of an object included. */
export function jsonLine(text: string): JsonObject | null {
  // Most lines of a program are no JSON; looking at the first character spares them the attempt.
  const start = text.search(/[^\s\ufeff]/);
  if (start < 0 || text[start] !== "{" || isTooDeep(text)) return null;
  try {
    return asObject(JSON.parse(text.slice(start)));
  } catch {
    return null;
  }
}

/** Short lines can't nest deep enough to matter, and nearly all lines are short. */
const NO_DEEP_LINE = 64 * 1024;
const DEEPEST = 1_000;

/** Parsing megabytes of brackets within brackets takes seconds, in which nothing else happens. */
function isTooDeep(text: string): boolean {
  if (text.length <= NO_DEEP_LINE) return false;
  let depth = 0;
  let inText = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) inText = !inText;
    else if (inText) at += code === BACKSLASH ? 1 : 0;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) depth += 1;
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
    if (depth > DEEPEST) return true;
  }
  return false;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

export function asObject(value: unknown): JsonObject | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
}

/** What stands at the end of a path of keys; undefined where the path ends early. */
export function valueAt(object: JsonObject | null, ...path: readonly string[]): unknown {
  let value: unknown = object;
  for (const key of path) {
    const parent = asObject(value);
    if (parent === null || !Object.hasOwn(parent, key)) return undefined;
    value = parent[key];
  }
  return value;
}

export function objectAt(object: JsonObject | null, ...path: readonly string[]): JsonObject | null {
  return asObject(valueAt(object, ...path));
}

export function textAt(object: JsonObject | null, ...path: readonly string[]): string | null {
  const value = valueAt(object, ...path);
  return typeof value === "string" ? value : null;
}

/** A count or an amount: what is negative or endless is none. */
export function amountAt(object: JsonObject | null, ...path: readonly string[]): number | null {
  const value = valueAt(object, ...path);
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}

/** The objects of a list; whatever else is in it is left out. */
export function objectsAt(object: JsonObject | null, ...path: readonly string[]): readonly JsonObject[] {
  const value = valueAt(object, ...path);
  return Array.isArray(value) ? value.map(asObject).filter((item) => item !== null) : [];
}

/** The object of a line of the stream; null for what is no whole object, or none of standard output. */
export function eventIn(line: Line): JsonObject | null {
  return line.stream === "stdout" && line.cutBytes === 0 ? jsonLine(line.text) : null;
}

/** What `read` makes of the object of a line. A line without one, or one that means nothing, goes to the log. */
export function eventsOf(
  line: Line,
  read: (event: JsonObject) => readonly HarnessEvent[] | null,
): readonly HarnessEvent[] {
  const event = eventIn(line);
  return (event === null ? null : read(event)) ?? [outputOf(line)];
}

const MAX_OUTPUT = 16_000;
const MAX_LINE = 200;
const MAX_BLOCK = 4_000;

/** A line that means nothing else, for the log. */
export function outputOf(line: Line): HarnessEvent {
  const { text, cutBytes } = line;
  if (text.length <= MAX_OUTPUT)
    return { kind: "output", text: cutBytes === 0 ? text : `${text}… (${cutBytes} bytes cut)` };
  const rest = Buffer.byteLength(text.slice(MAX_OUTPUT)) + cutBytes;
  return { kind: "output", text: `${text.slice(0, MAX_OUTPUT)}… (${rest} bytes cut)` };
}

/** One plain line, fit for a table cell. */
export function shortLine(text: string): string {
  return cutText(plainText(text.slice(0, MAX_LINE * 20)), MAX_LINE, countCodePoints);
}

/** Plain lines: the beginning of a text that may be of any length. */
export function shortBlock(text: string): string {
  return cutText(plainLines(text.slice(0, MAX_BLOCK * 2)).trimEnd(), MAX_BLOCK, countCodePoints);
}
