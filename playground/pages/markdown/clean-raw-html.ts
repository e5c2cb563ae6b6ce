import { escapeHtml } from "../html.ts";

/** Tags that people write in comments and that can do no harm without attributes. */
const ALLOWED =
  "details|summary|b|i|strong|em|code|kbd|sub|sup|ins|del|br|hr|p|blockquote|pre|ul|ol|li|table|thead|tbody|tr|th|td";
const PIECE = new RegExp(
  `<!--[\\s\\S]*?(?:-->|$)|<(/?)(${ALLOWED})(\\s+open(?:="")?)?\\s*/?>|&(?:#\\d{1,7}|#x[\\da-f]{1,6}|\\w+);|[\\s\\S]`,
  "gi",
);

/**
 * Raw HTML inside Markdown, read from left to right in one pass: comments vanish, a few bare tags stay, character
 * references stay, all else becomes text. One pass, because removing something in a second one could join the parts
 * around it into a tag.
 */
export function cleanRawHtml(text: string): string {
  return text.replace(
    PIECE,
    (piece, slash: string | undefined, tag: string | undefined, open: string | undefined) => {
      if (piece.startsWith("<!--")) return "";
      if (tag !== undefined) {
        const name = tag.toLowerCase();
        return `<${slash ?? ""}${name}${open !== undefined && name === "details" && slash === "" ? " open" : ""}>`;
      }
      if (piece.length > 1 && piece.startsWith("&")) return piece;
      return escapeHtml(piece);
    },
  );
}
