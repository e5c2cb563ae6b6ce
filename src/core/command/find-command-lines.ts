import { plainLines } from "../report/escape-text.ts";
import { endsInTag, findHiddenSpans } from "./find-hidden-spans.ts";

/**
 * The lines of a comment that speak to Loom. A comment is Markdown: what it shows as code, quotes from others or hides
 * in an HTML comment is not meant. Blocks are told apart on the raw text, as GitHub does it; only the line itself is
 * then read kindly. One pass: the time is linear in the comment, whatever it holds (T25).
 */
export type CommandLine = {
  /** Counted from 0. */
  readonly index: number;
  /** What stands behind the trigger. */
  readonly rest: string;
  /** Markdown takes a line right below a quote for a part of it, though its author may not. */
  readonly belowQuote: boolean;
};

export type CommentLines = { readonly lines: readonly string[]; readonly found: readonly CommandLine[] };

type Block =
  | { readonly kind: "text" }
  | { readonly kind: "fence"; readonly mark: string; readonly length: number; readonly inside: number }
  | { readonly kind: "html"; readonly end: string; readonly tag: string; depth: number }
  /** A tag that is never closed, up to the end of the comment. */
  | { readonly kind: "lost" }
  /** Tags and text up to an empty line, where Markdown is not read: text in it shows, fences are none. */
  | { readonly kind: "markup" };

type Paragraph = { text: string; belowQuote: boolean; found: (CommandLine & { readonly offset: number })[] };

const TEXT: Block = { kind: "text" };
const LIST_MARKS = /^(?: *(?:[-*+]|\d{1,9}[.)])(?=[ \t]))+/;
const FENCE = /^(`{3,}|~{3,})(.*)$/s;
// What shows as code, as a quote or struck out, or only to whoever unfolds it, up to the tag that ends it.
const UNREAD_TAG = "pre|script|style|textarea|blockquote|code|details|del|strike|s|kbd|samp|tt|q";
const HTML = new RegExp(`^<(?:(!--|\\?|!\\[CDATA\\[|![a-z])|(${UNREAD_TAG})(?=[\\s>/]|$))`, "i");
/** How that which begins with a mark instead of a name ends. */
const ENDS: ReadonlyMap<string, string> = new Map([
  ["!--", "-->"],
  ["?", "?>"],
  ["![cdata[", "]]>"],
]);
const LEADING_TAGS = new RegExp(`^(?:</?(?!(?:${UNREAD_TAG})\\b)[a-z][^<>]*>\\s*)+`, "i");
// Tags that begin such a part even inside of a paragraph; any other does so only where no paragraph is open.
const BLOCK_TAG =
  /^<\/?(?:address|article|aside|center|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|header|hr|li|main|menu|nav|ol|option|p|section|summary|table|tbody|td|tfoot|th|thead|tr|ul)(?=[\s>/]|$)/i;
const ANY_TAG = /^<\/?[a-z]/i;
const HEADING = /^ {0,3}#{1,6}(?:\s|$)/;
const QUOTE = /^ {0,3}>/;
const LIST_ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)])\s{1,4}/;
const TRIGGER = /^\/loom(?![^\s:,.;!?])[:,.;!?]*/i;

export function findCommandLines(body: string): CommentLines {
  const lines = body.split(/\r\n|[\r\n]/);
  const found: CommandLine[] = [];
  let block = TEXT;
  let paragraph = emptyParagraph();
  /** Where the text of the current list item begins; 0 outside of lists. */
  let inside = 0;
  const flush = (belowQuote = false): void => {
    found.push(...visibleCommands(paragraph));
    paragraph = emptyParagraph(belowQuote);
  };
  for (const [index, line] of lines.entries()) {
    const isBlank = line.trim() === "";
    if (block.kind === "html") {
      if (!staysHidden(line, block)) block = TEXT;
      continue;
    }
    if (block.kind === "fence") {
      if (!leavesList(line, block.inside)) {
        if (closesFence(line, block)) block = TEXT;
        continue;
      }
      block = TEXT;
    }
    if (isBlank) {
      const isLost = block.kind === "lost" || (block.kind === "markup" && endsInTag(paragraph.text));
      flush();
      block = isLost ? { kind: "lost" } : TEXT;
      continue;
    }
    if (block.kind === "lost") continue;
    if (block.kind === "markup") {
      const hidden = hidesRest(line) ? COMMENT : openHtml(line.trimStart());
      if (hidden) block = hidden;
      addLine(paragraph, line, index);
      continue;
    }
    const opensParagraph = paragraph.text === "" && !paragraph.belowQuote;
    const opened = openBlock(line, inside, opensParagraph);
    // Only a paragraph goes on in a list item without its indentation.
    const goesOn = !opensParagraph && !opened && !HEADING.test(line) && !QUOTE.test(line);
    if (!goesOn && leavesList(line, inside)) inside = 0;
    if (opened) {
      flush();
      block = opened;
      if (opened.kind === "markup") {
        if (hidesRest(line)) block = COMMENT;
        addLine(paragraph, line, index);
      }
    } else if (opensParagraph && isIndentedCode(line, inside)) flush();
    else if (HEADING.test(line)) flush();
    else if (QUOTE.test(line)) flush(isQuotedText(line));
    else {
      const item = LIST_ITEM.exec(line)?.[0];
      if (item !== undefined) {
        flush();
        inside = item.length;
      }
      addLine(paragraph, line, index);
    }
  }
  flush();
  return { lines, found };
}

const COMMENT: Block = { kind: "html", end: "-->", tag: "", depth: 0 };

function hidesRest(line: string): boolean {
  const start = line.lastIndexOf("<!--");
  return start !== -1 && !line.includes("-->", start);
}

function emptyParagraph(belowQuote = false): Paragraph {
  return { text: "", belowQuote, found: [] };
}

function addLine(paragraph: Paragraph, line: string, index: number): void {
  const rest = restOfCommand(line);
  if (rest !== null) {
    paragraph.found.push({ index, rest, belowQuote: paragraph.belowQuote, offset: paragraph.text.length });
  }
  paragraph.text += `${line}\n`;
}

function visibleCommands({ text, found }: Paragraph): CommandLine[] {
  if (found.length === 0) return [];
  const isHidden = findHiddenSpans(text);
  return found
    .filter(({ offset }) => !isHidden(offset))
    .map(({ index, rest, belowQuote }) => ({ index, rest, belowQuote }));
}

function isIndentedCode(line: string, inside: number): boolean {
  const indent = /^ *\t?/.exec(line)?.[0] ?? "";
  return indent.endsWith("\t") || indent.length >= inside + 4;
}

/** Up to three spaces; a fourth makes it code. */
function restOfCommand(line: string): string | null {
  const indent = /^[ \t]*/.exec(line)?.[0] ?? "";
  if (indent.length > 3 || indent.includes("\t")) return null;
  const plain = plainLines(line.replace(/[\v\f\u0085\u2028\u2029]/g, " ")).trim();
  const trigger = TRIGGER.exec(plain)?.[0];
  return trigger === undefined ? null : plain.slice(trigger.length).trim();
}

/** The block that begins in this line and goes on in the next one. `inside`: where the text of a list item begins. */
function openBlock(line: string, inside: number, isFirst: boolean): Block | null {
  const marks = LIST_MARKS.exec(line)?.[0] ?? "";
  const text = line.slice(marks.length).trimStart();
  const indent = line.length - marks.length - text.length;
  const isInList = marks === "" && inside > 0 && indent >= inside;
  if (marks === "" && indent > (isInList ? inside + 3 : 3)) return null;
  const [, fence, info = ""] = FENCE.exec(text) ?? [];
  if (fence !== undefined && !(fence.startsWith("`") && info.includes("`"))) {
    const column = marks === "" ? (isInList ? inside : 0) : marks.length + 1;
    return { kind: "fence", mark: fence.charAt(0), length: fence.length, inside: column };
  }
  const html = openHtml(text);
  if (html || HTML.test(text)) return html;
  return BLOCK_TAG.test(text) || (isFirst && ANY_TAG.test(text)) ? { kind: "markup" } : null;
}

/** What is hidden, or shown as code or as a quote, and does not end in its first line. It may stand behind other tags. */
function openHtml(line: string): Block | null {
  const text = line.replace(LEADING_TAGS, "");
  const [opening, mark, tag = ""] = HTML.exec(text) ?? [];
  if (opening === undefined) return null;
  const end = mark ? (ENDS.get(mark.toLowerCase()) ?? ">") : `</${tag.toLowerCase()}`;
  const block = { kind: "html" as const, end, tag: tag.toLowerCase(), depth: 0 };
  return staysHidden(text, block, opening.length) ? block : null;
}

/** Tags of one name stand inside of each other; a mark ends with the first that closes it. */
function staysHidden(line: string, block: Extract<Block, { kind: "html" }>, from = 0): boolean {
  const text = line.toLowerCase();
  if (block.tag === "") return !text.includes(block.end, from);
  const count = (what: string): number => text.split(what).length - 1;
  block.depth += count(`<${block.tag}`) - count(block.end);
  return block.depth > 0;
}

function closesFence(line: string, fence: Extract<Block, { kind: "fence" }>): boolean {
  const text = line.trim();
  if (text.length < fence.length || text !== fence.mark.repeat(text.length)) return false;
  return fence.inside > 0 || line.search(/\S/) <= 3;
}

/** A fence inside of a list item ends with it. */
function leavesList(line: string, inside: number): boolean {
  return inside > 0 && line.trim() !== "" && line.search(/\S/) < inside;
}

/** Only a paragraph goes on without the mark of the quote. */
function isQuotedText(line: string): boolean {
  const text = line.replace(/^[ >]*/, "");
  return text.trim() !== "" && !/^(?:#{1,6}\s|`{3}|~{3})/.test(text);
}
