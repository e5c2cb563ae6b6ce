import { type Node, Pair, Scalar, YAMLMap, YAMLSeq } from "yaml";

/**
 * A short cut for the YAML that most plans are made of: block mappings and lists, texts with `|` or `>`, words in brackets.
 * It takes a fraction of the time of the `yaml` package, which for 10,000 stages is the difference between an answer
 * at once and one after seconds; and a plan is read again whenever its run is loaded.
 *
 * It gives up, with null, at the first thing that it does not know for certain: anchors, tags, escapes, tabs, comments
 * behind a value, texts over several lines, paragraphs
 * below a `>`, all but small and plain numbers, and every mistake. The package then reads the
 * whole text, so nothing but the time depends on this file. A property test holds the two against each other.
 */
export function composePlainYaml(text: string): Node | null {
  if (/[\t\r\uFEFF]/.test(text) || !text.endsWith("\n")) return null;
  const lines = text.split("\n");
  const starts: number[] = [];
  let offset = 0;
  for (const line of lines) {
    starts.push(offset);
    offset += line.length + 1;
  }
  const reader: Reader = { lines, starts, at: 0 };
  try {
    if (nextIndent(reader) !== 0) return null;
    const root = readMap(reader, 0, 0);
    return nextIndent(reader) === END ? root : null;
  } catch (error) {
    if (error instanceof Unusual) return null;
    throw error;
  }
}

class Unusual extends Error {}

/** `at` is the line that is read next. */
type Reader = { readonly lines: readonly string[]; readonly starts: readonly number[]; at: number };

const END = -1;
const MAX_DEPTH = 32;
const KEY = /^([A-Za-z_][\w-]{0,99}):(?: +(.*))?$/;
const KEY_WITH_MEANING = /^(?:null|true|false)$/i;

/** Passes over empty lines and comments; the indentation of the line that follows. */
function nextIndent(reader: Reader): number {
  for (; reader.at < reader.lines.length; reader.at += 1) {
    const line = lineOf(reader, reader.at);
    const indent = indentOf(line);
    if (indent < line.length && line.charAt(indent) !== "#") return indent;
  }
  return END;
}

/** A mapping whose first key stands in the current line, after `indent` characters. */
function readMap(reader: Reader, indent: number, depth: number): YAMLMap {
  if (depth > MAX_DEPTH) throw new Unusual();
  const map = new YAMLMap();
  const start = startOf(reader, reader.at) + indent;
  do {
    const [, key, rest = ""] = KEY.exec(lineOf(reader, reader.at).slice(indent)) ?? [];
    if (key === undefined || KEY_WITH_MEANING.test(key)) throw new Unusual();
    const keyNode = placed(new Scalar(key), startOf(reader, reader.at) + indent);
    map.items.push(new Pair(keyNode, readValue(reader, rest, { indent, depth, inMap: true })));
  } while (isNext(reader, indent));
  return placed(map, start);
}

/** A list whose first dash stands in the current line, after `indent` spaces. */
function readSeq(reader: Reader, indent: number, depth: number): YAMLSeq {
  if (depth > MAX_DEPTH) throw new Unusual();
  const seq = new YAMLSeq();
  const start = startOf(reader, reader.at) + indent;
  do {
    const line = lineOf(reader, reader.at);
    if (!line.startsWith("- ", indent)) throw new Unusual();
    const inside = indent + 1 + indentOf(line.slice(indent + 1));
    const rest = line.slice(inside);
    if (KEY.test(rest)) seq.items.push(readMap(reader, inside, depth + 1));
    else if (rest === "") throw new Unusual();
    else seq.items.push(readValue(reader, rest, { indent, depth, inMap: false }));
  } while (isNext(reader, indent) && lineOf(reader, reader.at).startsWith("- ", indent));
  return placed(seq, start);
}

/** What is deeper than a collection that has ended is a mistake, or a text that goes on. */
function isNext(reader: Reader, indent: number): boolean {
  const next = nextIndent(reader);
  if (next > indent) throw new Unusual();
  return next === indent;
}

type Place = { readonly indent: number; readonly depth: number; readonly inMap: boolean };

/** The value that stands at the end of the current line, or below it; leaves the reader behind it. */
function readValue(reader: Reader, written: string, { indent, depth, inMap }: Place): Node {
  const text = withoutEndingSpaces(written);
  const line = lineOf(reader, reader.at);
  const offset = startOf(reader, reader.at) + line.length - written.length;
  reader.at += 1;
  if (/^[|>]-?$/.test(text)) return placed(readBlockText(reader, indent, text), offset);
  if (text !== "") return readInline(text, offset);
  const next = nextIndent(reader);
  const isList = next !== END && lineOf(reader, reader.at).startsWith("- ", next);
  if (next > indent) return isList ? readSeq(reader, next, depth + 1) : readMap(reader, next, depth + 1);
  if (next === indent && inMap && isList) return readSeq(reader, indent, depth + 1);
  return placed(new Scalar(null), offset);
}

function readInline(text: string, offset: number): Node {
  if (text.startsWith("[") && text.endsWith("]")) return readBrackets(text, offset);
  if (text === "{}") return placed(new YAMLMap(), offset);
  return placed(new Scalar(readWord(text)), offset);
}

function readBrackets(text: string, offset: number): YAMLSeq {
  const seq = new YAMLSeq();
  const inside = text.slice(1, -1);
  let at = offset + 1;
  if (withoutEndingSpaces(inside) !== "") {
    for (const part of inside.split(",")) {
      const word = withoutEndingSpaces(part.slice(indentOf(part)));
      if (word === "" || /[[\]{}:#]/.test(word)) throw new Unusual();
      seq.items.push(placed(new Scalar(readWord(word)), at + indentOf(part)));
      at += part.length + 1;
    }
  }
  return placed(seq, offset);
}

const SPECIAL_START = /^[-?:,[\]{}#&*!|>'"%@`]/;
const WORDS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ...["~", "null", "Null", "NULL"].map((word) => [word, null] as const),
  ...["true", "True", "TRUE"].map((word) => [word, true] as const),
  ...["false", "False", "FALSE"].map((word) => [word, false] as const),
]);

/** A scalar in one line. */
function readWord(text: string): unknown {
  if (/^"[^"\\]*"$/.test(text) || /^'[^']*'$/.test(text)) return text.slice(1, -1);
  if (SPECIAL_START.test(text) || text.includes(": ") || text.includes(" #") || text.endsWith(":"))
    throw new Unusual();
  if (WORDS.has(text)) return WORDS.get(text);
  if (!/^[-+.0-9]/.test(text) || text === ".") return text;
  if (/^(?:0|[1-9]\d{0,14}|(?:0|[1-9]\d{0,5})\.\d{1,6})$/.test(text)) return Number(text);
  // A path or a sentence may begin with a digit or a dot. What else does is a number, or nearly one.
  if (/[^-+.\w]/.test(text)) return text;
  throw new Unusual();
}

/** The lines below a `|` or a `>`, as far as they are indented deeper than what they belong to. */
function readBlockText(reader: Reader, indent: number, mark: string): Scalar {
  const folds = mark.startsWith(">");
  const parts: string[] = [];
  let inner: number | null = null;
  let empty = 0;
  for (; reader.at < reader.lines.length; reader.at += 1) {
    const line = lineOf(reader, reader.at);
    const space = indentOf(line);
    if (space === line.length) {
      // Spaces beyond the indentation belong to the text, and before its first line they are a mistake.
      if (space > (inner ?? 0)) throw new Unusual();
      empty += 1;
      continue;
    }
    if (space <= indent) break;
    inner ??= space;
    if (space < inner) throw new Unusual();
    // Where `>` keeps a break is for the package to say; it joins lines that are all alike.
    if (folds && (empty > 0 || space > inner || line.endsWith(" "))) throw new Unusual();
    for (; empty > 0; empty -= 1) parts.push("");
    parts.push(line.slice(inner));
  }
  if (inner === null) throw new Unusual();
  return new Scalar(parts.join(folds ? " " : "\n") + (mark.endsWith("-") ? "" : "\n"));
}

function placed<T extends Node>(node: T, offset: number): T {
  node.range = [offset, offset, offset];
  return node;
}

function lineOf(reader: Reader, at: number): string {
  return reader.lines[at] ?? "";
}

function startOf(reader: Reader, at: number): number {
  return reader.starts[at] ?? 0;
}

/** Not `trimEnd`: other white space is part of a text. */
function withoutEndingSpaces(text: string): string {
  let end = text.length;
  while (text.charCodeAt(end - 1) === 0x20) end -= 1;
  return text.slice(0, end);
}

function indentOf(line: string): number {
  let indent = 0;
  while (line.charCodeAt(indent) === 0x20) indent += 1;
  return indent;
}
