import { escapeMarkdown, escapeSentence, fenced } from "../markdown/escape-markdown.ts";
import { markdownTable } from "../markdown/markdown-table.ts";
import { markLines } from "../session/mark-lines.ts";
import { cutAt } from "../text/cut-text.ts";

/**
 * Prose of a planner in a document of Loom's. Paragraphs, bullets, tables and names between backticks stay what they
 * are; everything else becomes mere text: no heading, fence, comment, front matter or rule of the planner's can change
 * how the document is read, by people or by Loom.
 */
const BULLET = /^(\s{0,12})(?:[-*+•]|\d{1,3}[.)])\s+(.*)$/;
/** A table, a quote or a heading. */
const OWN_LINE = /^\s*[|>#]/;
const LINE_CHARS = 4_000;
const RULE = /^[\s|:-]+$/;

export function sanitizeProse(text: string, maxChars = 4_000): string {
  return joinLines(
    cutProse(text, maxChars)
      .split("\n")
      .map((line) => sanitizeLine(/^\s*(?:`{3,}|~{3,})/.test(line) ? "" : line)),
  );
}

/** Each paragraph and each bullet in one line: what GitHub shows of a pull request breaks where the text does. */
export function joinWraps(text: string): string {
  const joined: string[] = [];
  for (const line of text.split("\n")) {
    const last = joined.at(-1) ?? "";
    const begins = line.trim() === "" || BULLET.test(line) || OWN_LINE.test(line);
    if (begins || last.trim() === "" || OWN_LINE.test(last)) joined.push(line);
    else joined.splice(-1, 1, `${last.trimEnd()} ${line.trim()}`);
  }
  return joined.join("\n");
}

/** With code blocks, tables and headings below the given level as well. */
export function sanitizeDocument(text: string, { maxChars = 40_000, top = 3 } = {}): string {
  const lines: string[] = [];
  let code: string[] = [];
  let rows: string[][] = [];
  const flush = (): void => {
    if (code.length > 0) lines.push("", fenced(code.join("\n"), { maxChars: 12_000 }), "");
    const [head, ...body] = rows;
    if (head) lines.push("", markdownTable(head, body.length > 0 ? body : [head.map(() => "")]), "");
    code = [];
    rows = [];
  };
  for (const line of markLines(cutProse(text, maxChars))) {
    if (line.code) {
      if (rows.length > 0) flush();
      code.push(line.text);
    } else if (line.text.trimStart().startsWith("|")) {
      if (code.length > 0) flush();
      if (!RULE.test(line.text)) rows.push(cellsOf(line.text));
    } else {
      flush();
      if (line.heading) lines.push("", headingLine(line.text, line.heading.level, top), "");
      else lines.push(sanitizeLine(line.text));
    }
  }
  flush();
  return joinLines(lines);
}

function headingLine(text: string, level: number, top: number): string {
  const title = escapeMarkdown(text.replace(/^\s*#+\s*/, "").replace(/(?<!\s)\s+#+\s*$/, ""), 200);
  return `${"#".repeat(Math.min(6, Math.max(top, level)))} ${title || "…"}`;
}

function cellsOf(row: string): string[] {
  const cells = row.trim().replace(/^\|/, "").replace(/\|$/, "").split("|");
  return cells.slice(0, 12).map((cell) => escapeSentence(cell, 400));
}

/** Bold words lose their marks; a pattern such as a path with two stars keeps them. */
function withoutBold(line: string): string {
  return line.replace(/\*\*([^*`/]{1,300})\*\*/g, "$1");
}

function sanitizeLine(raw: string): string {
  const line = withoutBold(raw);
  const [, space = "", item] = BULLET.exec(line) ?? [];
  if (item === undefined) return escapeSentence(line, LINE_CHARS);
  const words = escapeSentence(item, LINE_CHARS);
  return words === "" ? "" : `${space.length >= 2 ? "  " : ""}- ${words}`;
}

/** What `sanitizeProse` made, as it was: so that it can be made harmless once more, at another place. */
export function restoreProse(markdown: string): string {
  return markdown
    .replace(/&#8203;|\u200b/g, "")
    .replace(/\\([\\`*_~|[\]+=/.)-])/g, "$1")
    .replaceAll("&#36;", "$")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")
    .trim();
}

function cutProse(text: string, maxChars: number): string {
  const kept = text.trim();
  return kept.length > maxChars ? `${cutAt(kept, maxChars).trimEnd()}…` : kept;
}

/** One empty line at most between two others. */
function joinLines(lines: readonly string[]): string {
  return lines
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}
