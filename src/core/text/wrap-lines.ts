import { type Measure, widthOf, wrapText } from "./text-width.ts";

/** Below this, words are left to the terminal. */
const NARROWEST = 20;
const LEAD = /^(\s*(?:[-*+•!]\s+|\d{1,3}[.)]\s+|[a-z]\)\s+)?)(.*)$/;
/** Code and tables are read by their columns. */
const FENCE = /^\s*(?:`{3,}|~{3,})/;
const FIXED = /^\s*[│|]/;

/** Prose whose lines end between words, where a terminal would break them anywhere; below a bullet it stays indented. */
export function wrapLines(text: string, width: number, measure: Measure): string {
  let isCode = false;
  return text
    .split("\n")
    .flatMap((line) => {
      const isFence = FENCE.test(line);
      if (isFence) isCode = !isCode;
      if (isFence || isCode || FIXED.test(line) || widthOf(line, measure) <= width) return [line];
      const [, lead = "", words = ""] = LEAD.exec(line) ?? [];
      const sandbox = width - lead.length;
      if (sandbox < NARROWEST) return [line];
      return wrapText(words, sandbox, measure).map(
        (part, index) => (index === 0 ? lead : " ".repeat(lead.length)) + part,
      );
    })
    .join("\n");
}
