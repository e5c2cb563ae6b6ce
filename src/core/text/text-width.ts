/** How many columns a text takes. Terminals disagree with code points for wide letters, so the caller may know better. */
export type Measure = (text: string) => number;

export const countCodePoints: Measure = (text) => [...text].length;

const ASCII = /^[\x20-\x7e]*$/;
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Plain ASCII needs no asking, and it is nearly all there is. */
export function widthOf(text: string, measure: Measure): number {
  return ASCII.test(text) ? text.length : measure(text);
}

/** The text, or as much of its beginning as fits before a …; never wider than `width`. */
export function cutText(text: string, width: number, measure: Measure): string {
  if (width <= 0) return "";
  if (ASCII.test(text)) return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
  // Nothing that fits is longer than this, and a text of a megabyte need not be looked at whole.
  const head = text.slice(0, width * 16);
  if (head.length === text.length && measure(text) <= width) return text;
  let kept = "";
  let used = 0;
  for (const { segment } of graphemes.segment(head)) {
    used += measure(segment);
    if (used > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** Exactly `width` columns: cut or filled up with spaces. */
export function fitText(
  text: string,
  width: number,
  measure: Measure,
  align: "left" | "right" = "left",
): string {
  const cut = cutText(text, width, measure);
  const fill = " ".repeat(Math.max(0, width - widthOf(cut, measure)));
  return align === "left" ? cut + fill : fill + cut;
}

/** Lines of whole words; a `command` stays in one piece, because people copy it, unless it alone is too long. */
export function wrapText(text: string, width: number, measure: Measure): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.match(/[^\s`]*`[^`]*`[^\s`]*|\S+/g) ?? []) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && measure(longer) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}
