import { isRecord, wordOf } from "../session/read-loose-yaml.ts";
import { table } from "../table.ts";
import { shortLine, shortText } from "../text/cut-text.ts";
import { plainLines } from "../text/escape-text.ts";
import type { UnnamedFinding } from "./name-findings.ts";
import type { PassedOver } from "./passed-over.ts";
import { readSeverity } from "./severity.ts";

const TITLE_CHARS = 200;
const BODY_CHARS = 4_000;
const SUGGESTION_CHARS = 4_000;
const PATH_CHARS = 500;

/** `:12`, `:12-14`, `:12:5` with a column, `#L12-L14`. */
const BEHIND_PATH = /^(.*?)(?::|#)L?(\d{1,9})(?:\s?[-–,]\s?L?(\d{1,9}))?(?::\d{1,9})?$/i;

type Lines = { readonly line: number | null; readonly endLine: number | null };
const NO_LINES: Lines = { line: null, endLine: null };

/** The files that the agent read, and where they stood on the worker. */
export type Tree = { readonly root: string; readonly files: ReadonlySet<string> };

type Reading = {
  readonly tree: Tree | null;
  /** The words are the agent's own, to the letter. */
  readonly isExact: boolean;
};

/** One entry of the agent's list; null when it says nothing. Its id is what the agent wrote, and has yet to be judged. */
export function readFinding(entry: unknown, passed: PassedOver, reading: Reading): UnnamedFinding | null {
  const value = isRecord(entry) ? fieldsOf(entry) : { title: typeof entry === "string" ? entry : "" };
  const said = wordOf(value.body).trim();
  const titled = shortLine(wordOf(value.title), TITLE_CHARS);
  const title = titled === "" ? shortLine(said.split("\n", 1)[0] ?? "", TITLE_CHARS) : titled;
  if (title === "") {
    passed.count("entry");
    return null;
  }
  const severity = readSeverity(wordOf(value.severity));
  if (severity === null) passed.count("severity");
  const body = shortText(said, BODY_CHARS);
  if (plainLines(said).trim().length > BODY_CHARS) passed.count("text");
  const place = readRepositoryRef(value, passed, reading.tree);
  return {
    id: wordOf(value.id).trim().toUpperCase() || null,
    severity: severity ?? "medium",
    title,
    body: titled === "" && body === title ? "" : body,
    ...place,
    suggestion: readSuggestion(value.suggestion, place.line, passed, reading),
  };
}

/** Words that agents use for the same. */
const ALIASES: Readonly<Record<string, readonly string[]>> = table({
  title: ["name", "headline", "issue"],
  severity: ["level", "priority"],
  body: ["description", "message", "details", "detail", "explanation"],
  file: ["path", "filename", "file_path", "location"],
  line: ["lines", "start_line", "line_number"],
  end_line: ["endline"],
});

/** By the names that they were asked for under, whatever they are called. */
function fieldsOf(entry: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const written = new Map(Object.entries(entry).map(([key, value]) => [plainKey(key), value]));
  for (const [name, others] of Object.entries(ALIASES)) {
    const other = others.find((one) => written.has(one));
    if (!written.has(name) && other !== undefined) written.set(name, written.get(other));
  }
  return Object.fromEntries(written);
}

function plainKey(key: string): string {
  return key.trim().toLowerCase().replace(/[ -]/g, "_");
}

/** `src/a.ts:12-14` in one word, or a file and numbers. */
function readRepositoryRef(
  value: Readonly<Record<string, unknown>>,
  passed: PassedOver,
  tree: Tree | null,
): Lines & { readonly file: string | null } {
  const word = plainLines(wordOf(value.file))
    .trim()
    .slice(0, PATH_CHARS * 2);
  const [, name = word, first = "", last = ""] = BEHIND_PATH.exec(word) ?? [];
  const file = readPath(name, tree);
  if (file === null) {
    if (word !== "" && !/^(?:null|none|n\/a|-)$/i.test(word)) passed.count("path");
    return { file: null, ...NO_LINES };
  }
  const said = readLines(value.line);
  const lines = said.line === null ? { line: toLine(first), endLine: toLine(last) } : said;
  const end = readLines(value.end_line);
  return { file, ...inOrder(lines.line, end.endLine ?? end.line ?? lines.endLine) };
}

/** From the root, with slashes; nothing that leads out of the repository, and no place on the worker. */
function readPath(word: string, tree: Tree | null): string | null {
  const written = word.replace(/^[`"'\s]+|(?<![`"'\s])[`"'\s]+$/g, "").replaceAll("\\", "/");
  const path = inTree(written, tree);
  if (path === null || path === "" || path.length > PATH_CHARS || /[\n\t]/.test(path)) return null;
  if (/^(?:null|none|n\/a|-)$/i.test(path) || path.split("/").includes("..")) return null;
  // A diff puts `a/` and `b/` in front of names.
  const bare = path.replace(/^[ab]\//, "");
  return tree && !tree.files.has(path) && tree.files.has(bare) ? bare : path;
}

/** `/src/a.ts` may be meant from the root of the repository; only a file that is there is. */
function inTree(path: string, tree: Tree | null): string | null {
  const root = tree === null ? null : `${tree.root.replaceAll("\\", "/").replace(/(?<!\/)\/+$/, "")}/`;
  const isInside = root !== null && path.startsWith(root);
  const inside = (isInside ? path.slice(root.length) : path).replace(/^(?:\.?\/+)+/, "");
  const isAbsolute = /^(?:\/|[a-z]:\/|~\/|file:)/i.test(path);
  return isInside || !isAbsolute || tree?.files.has(inside) ? inside : null;
}

/** 12, "12", "12-14", "L12-L14", "lines 12 to 14", [12, 14]. */
function readLines(value: unknown): Lines {
  const word = Array.isArray(value) ? value.slice(0, 2).map(wordOf).join("-") : wordOf(value);
  const [, first = "", second = ""] =
    /(?<!\d)(\d{1,9})(?!\d)(?:[^\d.]{1,10}(\d{1,9})(?!\d))?/.exec(word.slice(0, 100)) ?? [];
  return { line: toLine(first), endLine: toLine(second) };
}

function toLine(digits: string): number | null {
  const number = Number(digits);
  return digits === "" || number === 0 ? null : number;
}

function inOrder(line: number | null, endLine: number | null): Lines {
  if (line === null || endLine === null || line === endLine) return { line: line ?? endLine, endLine: null };
  return { line: Math.min(line, endLine), endLine: Math.max(line, endLine) };
}

/** Half a suggestion, or one with other characters in it, would break a file: one that can't be had to the letter is none. */
function readSuggestion(
  value: unknown,
  line: number | null,
  passed: PassedOver,
  { isExact }: Reading,
): string | null {
  const text = wordOf(value)
    .replace(/\r\n?/g, "\n")
    .replace(/(?<!\n)\n+$/, "");
  if (text.trim() === "" || text.trim() === "null") return null;
  // A diff, or a whole code block, is no text to put in place of lines.
  const usable =
    line !== null && text.length <= SUGGESTION_CHARS && !/^\s*(?:```|~~~|@@ |diff --git )/.test(text);
  // Loom finds what it wrote by such marks.
  if (usable && isExact && plainLines(text) === text && !/<!--\s*loom/i.test(text)) return text;
  passed.count("suggestion");
  return null;
}
