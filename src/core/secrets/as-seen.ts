import { table } from "../table.ts";
import { UNSEEN } from "../text/escape-text.ts";

/** A text without what nobody sees of it, and for each of its characters where it stood. */
export type Seen = { readonly text: string; readonly places: readonly number[] };

/** Marks that Markdown takes away when it shows a text, and signs that it shows in place of others. */
const MARKUP = "\\*\\*|`+|\\\\[!-/:-@[-`{-~]|&(?:#8203|#36|amp|lt|gt);|<!--";
const HIDDEN = new RegExp(`${UNSEEN}|${MARKUP}`, "gu");
/** Nearly all there is: without a letter that could begin one of these. */
const PLAIN = /^[\t\n !-%'-)+-;=-[\]-_a-~]*$/;
const SHOWN: Readonly<Record<string, string>> = table({
  "&#36;": "$",
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
});

/**
 * What a person reads, in a terminal or as Markdown: a word with a space of no width, a colour, a comment or a bold letter
 * in its middle is still that word. null: the text as it is.
 */
export function asSeen(text: string): Seen | null {
  if (PLAIN.test(text)) return null;
  let seen = "";
  const places: number[] = [];
  const keep = (from: number, to: number): void => {
    seen += text.slice(from, to);
    for (let at = from; at < to; at += 1) places.push(at);
  };
  let at = 0;
  let lastComment: number | null = null;
  HIDDEN.lastIndex = 0;
  for (let match = HIDDEN.exec(text); match; match = HIDDEN.exec(text)) {
    const [found] = match;
    keep(at, match.index);
    at = HIDDEN.lastIndex;
    if (found === "<!--") {
      lastComment ??= text.lastIndexOf("-->");
      // One that nothing closes is shown.
      if (at > lastComment) keep(match.index, at);
      else at = text.indexOf("-->", at) + 3;
      HIDDEN.lastIndex = at;
    } else if (found.startsWith("\\")) keep(match.index + 1, at);
    else if (SHOWN[found] !== undefined) {
      seen += SHOWN[found];
      places.push(match.index);
    }
  }
  if (at === 0) return null;
  keep(at, text.length);
  return { text: seen, places: [...places, text.length] };
}
