/**
 * Markdown as agents write it, taken apart into the few kinds of blocks that Loom writes again. Fences are known at any
 * depth, because agents put them into lists; indentation counts for nothing but the depth of lists.
 */
export type ProseBlock = {
  readonly text: string;
  /** How many characters it took, for counting what is left out. */
  readonly source: number;
} & (
  | { readonly kind: "heading"; readonly level: number }
  | { readonly kind: "quote" }
  | { readonly kind: "code"; readonly info: string }
  /** The first is the head; all have as many cells. */
  | { readonly kind: "table"; readonly rows: readonly (readonly string[])[] }
  /** `indent` is where its paragraph belongs, in a list or not. */
  | { readonly kind: "paragraph"; readonly indent: number }
  | { readonly kind: "item"; readonly indent: number; readonly mark: string; readonly apart: boolean }
);

const FENCE = /^[ \t]{0,40}(`{3,}|~{3,})(.*)$/;
const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*)$/;
const ITEM = /^([ \t]{0,40})([-*+•]|\d{1,9}[.)])[ \t]+(\S.*)$/;
const QUOTE = /^ {0,3}(?:>[ \t]?)+(.*)$/;
const RULE = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|=+[ \t]*)$/;
const DIVIDER_CELL = /^:?-+:?$/;

const MAX_LEVELS = 4;
const MAX_COLUMNS = 12;

type Level = {
  /** Where its mark stood in the source. */
  readonly from: number;
  readonly indent: number;
  /** Where its text begins in what is written. */
  readonly inside: number;
};

export function splitProse(text: string): ProseBlock[] {
  const lines = text.split("\n");
  const lastComment = lines.findLastIndex((line) => line.includes("-->"));
  const blocks: ProseBlock[] = [];
  let levels: Level[] = [];
  /** Whether a line may go on with the block above. */
  let open = false;
  let blank = false;
  const add = (block: ProseBlock, goesOn: boolean): void => {
    blocks.push(block);
    open = goesOn;
    blank = false;
  };
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const trimmed = line.trim();
    if (trimmed === "") {
      open = false;
      blank = true;
      continue;
    }
    const fence = openFence(line);
    if (fence) {
      const end = closeFence(lines, at, fence.marks);
      const content = lines.slice(at + 1, end).map((one) => withoutIndent(one, fence.indent));
      levels = [];
      add({ kind: "code", info: fence.info, ...textOf(content.join("\n")) }, false);
      at = end;
      continue;
    }
    if (trimmed.startsWith("<!--") && at < lastComment && !trimmed.includes("-->")) {
      while (!(lines[at] ?? "").includes("-->")) at += 1;
      // What stands behind the end of the comment is read as a line of its own.
      lines[at] = (lines[at] ?? "").replace(/^.*?-->/, "");
      at -= 1;
      continue;
    }
    const table = readTable(lines, at);
    if (table) {
      levels = [];
      add({ kind: "table", rows: table.rows, ...textOf(lines.slice(at, table.end).join("\n")) }, false);
      at = table.end - 1;
      continue;
    }
    if (RULE.test(line)) {
      levels = [];
      open = false;
      blank = true;
      continue;
    }
    const heading = HEADING.exec(line);
    if (heading) {
      levels = [];
      const title = (heading[2] ?? "").replace(/[ \t]#+[ \t]*$/, "");
      add({ kind: "heading", level: heading[1]?.length ?? 6, ...textOf(title) }, false);
      continue;
    }
    const quote = QUOTE.exec(line);
    if (quote) {
      levels = [];
      goOnOr(blocks, open, "quote", quote[1] ?? "", () =>
        add({ kind: "quote", ...textOf(quote[1] ?? "") }, true),
      );
      continue;
    }
    const item = ITEM.exec(line);
    if (item) {
      const [, space = "", mark = "", words = ""] = item;
      const from = indentOf(space);
      levels = levels.filter((level) => level.from < from).slice(0, MAX_LEVELS - 1);
      const indent = levels.at(-1)?.inside ?? 0;
      const written = /^\d/.test(mark) ? `${Number.parseInt(mark, 10)}.` : "-";
      levels = [...levels, { from, indent, inside: indent + written.length + 1 }];
      const apart = blank && blocks.at(-1)?.kind === "item";
      add({ kind: "item", indent, mark: written, apart, ...textOf(words) }, true);
      continue;
    }
    if (open) {
      append(blocks, trimmed);
      continue;
    }
    // Indented below an item it belongs to the item; otherwise the list is over.
    const from = indentOf(line);
    levels = levels.filter((level) => level.from < from);
    add({ kind: "paragraph", indent: levels.at(-1)?.inside ?? 0, ...textOf(trimmed) }, true);
  }
  return blocks;
}

function textOf(text: string): { readonly text: string; readonly source: number } {
  return { text, source: text.length };
}

function goOnOr(
  blocks: ProseBlock[],
  open: boolean,
  kind: ProseBlock["kind"],
  words: string,
  begin: () => void,
): void {
  if (open && blocks.at(-1)?.kind === kind) append(blocks, words.trim());
  else begin();
}

/** Lines of a paragraph are one text: what the agent wrapped is not broken for people. */
function append(blocks: ProseBlock[], words: string): void {
  const last = blocks.at(-1);
  if (last) blocks[blocks.length - 1] = { ...last, ...textOf(`${last.text} ${words}`) };
}

function openFence(
  line: string,
): { readonly marks: string; readonly info: string; readonly indent: number } | null {
  const [, marks = "", rest = ""] = FENCE.exec(line) ?? [];
  if (marks === "" || (marks.startsWith("`") && rest.includes("`"))) return null;
  const info = (rest.trim().split(/[\s{,:]/, 1)[0] ?? "").toLowerCase();
  return { marks, info, indent: line.length - line.trimStart().length };
}

/** The line that closes it, or the end of the text. */
function closeFence(lines: readonly string[], opening: number, marks: string): number {
  let at = opening + 1;
  for (; at < lines.length; at += 1) {
    const line = (lines[at] ?? "").trim();
    if (line.length >= marks.length && line === marks.charAt(0).repeat(line.length)) break;
  }
  return at;
}

function indentOf(line: string): number {
  return (/^[ \t]*/.exec(line)?.[0] ?? "").replaceAll("\t", "    ").length;
}

function withoutIndent(line: string, indent: number): string {
  return line.slice(Math.min(indent, line.length - line.trimStart().length));
}

/** A head, a line of dashes with as many cells, and rows up to the first line without a pipe. */
function readTable(
  lines: readonly string[],
  at: number,
): { readonly rows: string[][]; readonly end: number } | null {
  const head = lines[at] ?? "";
  const divider = lines[at + 1] ?? "";
  if (!head.includes("|") || !/^[\s|:-]*$/.test(divider)) return null;
  const columns = cellsOf(head).length;
  const dashes = cellsOf(divider);
  if (columns > MAX_COLUMNS || dashes.length !== columns) return null;
  if (!dashes.every((cell) => DIVIDER_CELL.test(cell))) return null;
  const rows = [cellsOf(head)];
  let end = at + 2;
  for (; end < lines.length && (lines[end] ?? "").includes("|") && !openFence(lines[end] ?? ""); end += 1) {
    const cells = cellsOf(lines[end] ?? "");
    rows.push(Array.from({ length: columns }, (_, index) => cells[index] ?? ""));
  }
  return rows.length > 1 ? { rows, end } : null;
}

function cellsOf(line: string): string[] {
  const inner = line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) => cell.replaceAll("\\|", "|").trim());
}
