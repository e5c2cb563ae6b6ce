import { plainLines } from "../text/escape-text.ts";
import { type Fence, openFence, readFenceLine } from "./fence.ts";
import {
  addLine,
  type CommandLine,
  closeMarks,
  hasLoneBacktick,
  judgeCommands,
  newParagraph,
  type Paragraph,
} from "./paragraph.ts";
import { HTML, isWholeComment, scanLine } from "./scan-line.ts";

/**
 * The lines of a comment that speak to Loom. A comment is Markdown, and who approves it sees only what GitHub makes of
 * it. Loom does not try to be that renderer: a command counts where nothing above it could hide it, strike it out or make
 * code of it, and what is above it and not plain puts it in doubt (T46). What is code, a comment or folded for everybody is
 * not meant at all. One pass: the time is linear in the comment, whatever it holds (T25).
 */
export type CommentLines = { readonly lines: readonly string[]; readonly found: readonly CommandLine[] };

type State = {
  readonly found: CommandLine[];
  paragraph: Paragraph;
  fence: Fence | null;
  /** `whole`: it began a line, so that all take its end for its end. */
  comment: "whole" | "part" | null;
  isPre: boolean;
  /** Elements that are open, outermost first. */
  readonly folded: string[];
  /** Something may be open up to the end of the comment. */
  isLost: boolean;
};

/** As Markdown has it: no other character is blank. */
const BLANK = /^[ \t]*$/;
const LIST_MARK = String.raw`[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])`;
const CONTAINERS = String.raw`^(?:[ \t>]|${LIST_MARK})*`;
/** An address between brackets is no HTML for anybody. */
const HTML_START = new RegExp(String.raw`${CONTAINERS}<(?![a-z][a-z0-9+.-]{1,31}:|[\w.+-]+@)[a-z!?/]`, "i");
const FOLDED = /^<(details|blockquote|summary)(?: open)?>(.*)$/is;
const FOLDED_END = /^<\/(details|blockquote|summary)>[ \t]*$/i;
const DEFINITION = new RegExp(String.raw`${CONTAINERS}\[.*?\]:`, "s");
const FOOTNOTE = new RegExp(String.raw`${CONTAINERS}\[\^`);
/** `[Bug]: it does not start` defines nothing: no title stands behind its first word. */
const PROSE = /^\[[^[\]\\^][^[\]\\]*\]:[ \t]+\w+[ \t]+\w/;
const FORMULA = /^[ \t]*\$\$(?!.*\$\$)/;
/** It turns the reading direction of what follows. */
const TURN = /[\u202a-\u202e\u2066-\u2069]/;
const HEADING = /^ {0,3}#{1,6}(?:[ \t]|$)/;
const QUOTE = new RegExp(String.raw`^(?:[ \t]|${LIST_MARK})*>`);
const NEW_QUOTE = /^ {0,3}>/;
/** Nothing goes on below such a line of a quote. */
const ENDED_QUOTE = /^ {0,3}>(?:[ >]*$| ?(?:#{1,6}[ \t]|`{3,}[^`]*$|~{3,}))/;
const TRIGGER = /^\/loom(?![^\s:,.;!?])[:,.;!?]*/i;

export function findCommandLines(body: string): CommentLines {
  const lines = splitLines(body);
  const state: State = {
    found: [],
    paragraph: newParagraph(),
    fence: null,
    comment: null,
    isPre: false,
    folded: [],
    isLost: false,
  };
  for (const [index, line] of lines.entries()) {
    if (isInside(state, line) || opensOrEnds(state, line)) closeMarks(state.paragraph, line, index);
    else readText(state, line, index);
  }
  endParagraph(state);
  return { lines, found: state.found };
}

/** GitHub ends a line at each of these, and so does whoever counts lines of a comment here. */
export function splitLines(body: string): string[] {
  return body.split(/\r\n|[\r\n]/);
}

function endParagraph(state: State): void {
  state.found.push(...judgeCommands(state.paragraph));
  state.paragraph = newParagraph();
}

/** Whether the line belongs to code or to a comment that began above it. */
function isInside(state: State, line: string): boolean {
  const { fence } = state;
  if (state.comment) {
    // A browser ends it there as well.
    if (line.includes("--!>")) state.comment = "part";
    const end = line.indexOf("-->");
    const isOver = end !== -1 || (state.comment === "part" && BLANK.test(line));
    if (isOver && (state.comment === "part" || !BLANK.test(line.slice(end + 3)))) state.isLost = true;
    if (isOver) state.comment = null;
    return true;
  }
  if (state.isPre) {
    if (HTML.test(line)) {
      state.isPre = false;
      if (!/^[^<]*<\/pre>[ \t]*$/i.test(line)) state.isLost = true;
    }
    return true;
  }
  if (!fence) return false;
  const is = readFenceLine(line, fence);
  // Indented that far, it may be no fence but text.
  const maybeText = fence.place === "indented" && fence.column > 3;
  if (is === "unclear" || (maybeText && HTML.test(line))) state.isLost = true;
  if (is === "inside") return true;
  state.fence = null;
  if (maybeText) state.paragraph.isUnclear = true;
  else endParagraph(state);
  return is === "closes";
}

/** Whether a block begins or ends in this line, and nothing else stands there. */
function opensOrEnds(state: State, line: string): boolean {
  const { paragraph, folded } = state;
  if (BLANK.test(line)) {
    endParagraph(state);
    return true;
  }
  const fence = openFence(line, paragraph.isNew);
  if (fence === "unclear" || (fence && paragraph.isHtml)) {
    state.isLost = true;
    return false;
  }
  if (fence) {
    state.fence = fence;
    if (fence.place !== "indented" || fence.column <= 3) endParagraph(state);
    return true;
  }
  if (!paragraph.isHtml && /^<pre>[^<]*$/i.test(line)) {
    endParagraph(state);
    state.isPre = true;
    return true;
  }
  const ended = FOLDED_END.exec(line)?.[1]?.toLowerCase();
  if (ended !== undefined) {
    if (folded.pop() !== ended) state.isLost = true;
    paragraph.isHtml = true;
    return true;
  }
  return false;
}

function readText(state: State, line: string, index: number): void {
  const isHeading = !state.paragraph.isHtml && HEADING.test(line);
  if (isHeading || (!state.paragraph.isHtml && NEW_QUOTE.test(line))) endParagraph(state);
  const { paragraph } = state;
  const rest = restOfCommand(line);
  if (rest !== null && state.folded.length === 0) {
    const doubt = state.isLost || paragraph.isUnclear ? "unclear" : paragraph.isQuote ? "quote" : null;
    paragraph.found.push({ index, rest, doubt });
  }
  if (HTML.test(line) && opensComment(state, line)) return;
  addLine(paragraph, line, scanLine(line), index);
  const isDefinition = DEFINITION.test(line) && !PROSE.test(line);
  if (isDefinition || isTableRule(line) || TURN.test(line)) paragraph.isUnclear = true;
  if (FORMULA.test(line)) state.isLost = true;
  if (QUOTE.test(line)) paragraph.isQuote = true;
  if (isHeading || (!paragraph.isHtml && ENDED_QUOTE.test(line))) endParagraph(state);
}

/** Looks at all HTML of a line, and tells whether it is but the begin of a comment. */
function opensComment(state: State, line: string): boolean {
  const { paragraph } = state;
  if (!paragraph.isHtml && /^<!--(?!-?>)/.test(line) && !line.includes("-->")) {
    endParagraph(state);
    state.comment = line.includes("--!>") ? "part" : "whole";
    return true;
  }
  if (HTML_START.test(line) && !isWholeComment(line)) paragraph.isHtml = true;
  // Both readings have to agree where nobody knows which one is right.
  const modes = paragraph.isHtml ? (["markdown", "html"] as const) : (["markdown"] as const);
  const all = (text: string, html: string) => modes.every((mode) => scanLine(text, mode).html === html);
  const [, name, inside = ""] = FOLDED.exec(line) ?? [];
  const isUnsure = FOOTNOTE.test(line) || (line.includes("`") && hasLoneBacktick(paragraph));
  if (isUnsure) state.isLost = true;
  else if (all(line, "closed")) return false;
  else if (all(line, "comment")) state.comment = "part";
  else if (name !== undefined && all(inside, "closed")) state.folded.push(name.toLowerCase());
  else state.isLost = true;
  return false;
}

/** Below it stand the rows of a table, which show no more columns than its first one. */
function isTableRule(line: string): boolean {
  return /^[ \t>|:-]+$/.test(line) && line.includes("-") && /[|:]/.test(line);
}

/** Up to three spaces; a fourth makes it code. */
function restOfCommand(line: string): string | null {
  const indent = /^[ \t]*/.exec(line)?.[0] ?? "";
  if (indent.length > 3 || indent.includes("\t")) return null;
  const plain = plainLines(line.replace(/[\v\f\u0085\u2028\u2029]/g, " ")).trim();
  const trigger = TRIGGER.exec(plain)?.[0];
  return trigger === undefined ? null : plain.slice(trigger.length).trim();
}
