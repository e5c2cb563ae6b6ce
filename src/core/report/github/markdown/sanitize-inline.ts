import { code, escapeMarkdown } from "../../../markdown/escape-markdown.ts";

/**
 * One paragraph of an agent's Markdown. Names between backticks and bold words stay; a link becomes its words and an
 * address that is shown and not live; images, tags and comments go. Everything else is text and passes through `escapeMarkdown`
 * as a whole, never piece by piece: pieces that are harmless alone can make a link together.
 */
export function sanitizeInline(text: string): string {
  const tokens = pairBold(readTokens(text));
  const pieces = tokens.map((token, index) =>
    write(token, tokens[index - 1] ?? null, tokens[index + 1] ?? null),
  );
  return pieces.join("").trim();
}

function write({ kind, text }: Token, before: Token | null, after: Token | null): string {
  switch (kind) {
    case "bold":
      return "**";
    case "code":
      return code(text, CODE_CHARS);
    case "text":
      return escapeBetween(text, before, after);
  }
}

type Token = { readonly kind: "text" | "code" | "bold"; readonly text: string };

const CODE_CHARS = 1_000;

const IMAGE = /!\[([^[\]]{0,300})\]\([^()\n]{0,1000}\)/y;
const LINK =
  /\[([^[\]]{1,300})\]\(\s{0,9}<?([^()<>\s]{0,1000})>?(?:\s{1,9}["'][^"'\n]{0,300}["'])?\s{0,9}\)/y;
const AUTOLINK = /<((?:https?:\/\/|mailto:)[^<>\s]{1,1000})>/iy;
const TAG = new RegExp(
  `</?(?:${[
    "a|abbr|address|area|article|aside|audio|b|base|big|blockquote|body|br|button|canvas|caption|center|cite|code|col",
    "dd|del|details|dfn|dialog|div|dl|dt|em|embed|fieldset|figcaption|figure|font|footer|form|frame|frameset|g|h[1-6]",
    "head|header|hr|html|i|iframe|img|image|input|ins|kbd|label|legend|li|link|main|map|mark|math|menu|meta|nav|noscript",
    "object|ol|option|p|param|picture|pre|q|s|samp|script|section|select|small|source|span|strike|strong|style|sub",
    "summary|sup|svg|table|tbody|td|template|textarea|tfoot|th|thead|time|title|tr|track|tt|u|ul|var|video|wbr",
  ].join("|")})(?=[\\s/>])[^<>]{0,2000}>`,
  "iy",
);
const SPECIAL = /[\\`*_!<[]/g;

/** Text that stands side by side is one token, whatever was taken out between. */
function readTokens(text: string): Token[] {
  const closing = createTickFinder(text);
  const tokens: Token[] = [];
  let words = "";
  const flush = (): void => {
    if (words !== "") tokens.push({ kind: "text", text: words });
    words = "";
  };
  let at = 0;
  let noComment = false;
  while (at < text.length) {
    SPECIAL.lastIndex = at;
    const next = SPECIAL.exec(text)?.index ?? text.length;
    words += text.slice(at, next);
    at = next;
    const char = text.charAt(at);
    if (char === "\\" && /[!-/:-@[-`{-~]/.test(text.charAt(at + 1))) {
      words += text.charAt(at + 1);
      at += 2;
    } else if (char === "`") {
      const span = closing(at);
      if (span.end === null) {
        words += text.slice(at, at + span.ticks);
        at += span.ticks;
      } else {
        flush();
        tokens.push({ kind: "code", text: text.slice(at + span.ticks, span.end) });
        at = span.end + span.ticks;
      }
    } else if (text.startsWith("**", at) || text.startsWith("__", at)) {
      if (char === "*" || isEdge(text, at)) {
        flush();
        tokens.push({ kind: "bold", text: "**" });
      } else words += "__";
      at += 2;
    } else if (!noComment && text.startsWith("<!--", at)) {
      const end = text.indexOf("-->", at + 4);
      noComment = end === -1;
      // What stood apart stays apart: no word is made that nobody wrote.
      words += " ";
      at = end === -1 ? at + 4 : end + 3;
    } else {
      const found = readMarkup(text, at);
      words += found?.text ?? char;
      at = found?.end ?? at + 1;
    }
  }
  flush();
  return tokens;
}

/** `snake__case` is a name. */
function isEdge(text: string, at: number): boolean {
  return !/[\p{L}\p{N}_]/u.test(text.charAt(at - 1)) || !/[\p{L}\p{N}_]/u.test(text.charAt(at + 2));
}

function readMarkup(text: string, at: number): { readonly text: string; readonly end: number } | null {
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  switch (text.charAt(at)) {
    case "!": {
      const image = match(IMAGE);
      return image && { text: image[1] || " ", end: IMAGE.lastIndex };
    }
    case "[": {
      const link = match(LINK);
      return link && { text: shownLink(link[1] ?? "", link[2] ?? ""), end: LINK.lastIndex };
    }
    case "<": {
      const auto = match(AUTOLINK);
      if (auto) return { text: auto[1] ?? "", end: AUTOLINK.lastIndex };
      return match(TAG) && { text: " ", end: TAG.lastIndex };
    }
    default:
      return null;
  }
}

/** An address that says no more than the words is not said twice. */
function shownLink(label: string, address: string): string {
  const words = label.replace(/[`*]/g, "");
  return address === "" || words.startsWith(address) ? words : `${words} (${address})`;
}

/** Where the backticks that begin at a place end, and where as many close them; all found in one pass. */
function createTickFinder(
  text: string,
): (at: number) => { readonly ticks: number; readonly end: number | null } {
  const places = new Map<number, number[]>();
  const lengths = new Map<number, number>();
  for (const { 0: run, index } of text.matchAll(/`+/g)) {
    lengths.set(index, run.length);
    const known = places.get(run.length) ?? [];
    known.push(index);
    places.set(run.length, known);
  }
  const passed = new Map<number, number>();
  return (at) => {
    // After a backslash a run begins in its middle; then nothing closes it.
    const ticks = lengths.get(at) ?? 1;
    const same = places.get(ticks) ?? [];
    let next = passed.get(ticks) ?? 0;
    while (next < same.length && (same[next] ?? 0) <= at) next += 1;
    passed.set(ticks, next);
    return { ticks, end: lengths.has(at) ? (same[next] ?? null) : null };
  };
}

/** Marks that have no partner, or nothing between them, are text. */
function pairBold(tokens: readonly Token[]): Token[] {
  const kept: Token[] = [];
  let open: number | null = null;
  for (const token of tokens) {
    if (token.kind !== "bold") {
      kept.push(token);
      continue;
    }
    const inside = open === null ? [] : kept.slice(open + 1);
    const before = inside.at(-1);
    if (open !== null && before && isTight(inside)) {
      open = null;
      kept.push(token);
    } else {
      if (open !== null) kept[open] = { kind: "text", text: "**" };
      open = kept.length;
      kept.push(token);
    }
  }
  if (open !== null) kept[open] = { kind: "text", text: "**" };
  return mergeText(kept);
}

function isTight(inside: readonly Token[]): boolean {
  return /^\S/.test(inside[0]?.text ?? "") && /\S$/.test(inside.at(-1)?.text ?? "");
}

function mergeText(tokens: readonly Token[]): Token[] {
  const merged: Token[] = [];
  for (const token of tokens) {
    const last = merged.at(-1);
    if (token.kind === "text" && last?.kind === "text") {
      merged[merged.length - 1] = { kind: "text", text: last.text + token.text };
    } else merged.push(token);
  }
  return merged;
}

/** `escapeMarkdown` trims, but between names and bold words a space divides. */
function escapeBetween(text: string, before: Token | null, after: Token | null): string {
  const words = escapeMarkdown(text, text.length + 1).replace(/\/(?=loom)/gi, "/&#8203;");
  const inside = before === null ? words : words.replace(/^\\(?=[-+=/])/, "");
  const first = before !== null && /^\s/.test(text) ? " " : "";
  if (words === "") return first;
  if (after === null) return first + inside;
  // To whoever reads the text without its elements, a bold word goes on with what stands right before it.
  const gap = after.kind === "bold" && /(?::|\bGH-|www)$/i.test(text.slice(-4)) ? "&#8203;" : "";
  return first + inside + (/\s$/.test(text) ? " " : gap);
}
