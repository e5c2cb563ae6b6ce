import { fitText, type Measure, widthOf } from "../../text/text-width.ts";
import { paint, type Tone } from "./paint.ts";

/** Text that is already plain; see escape-text.ts. */
export type Cell = { readonly text: string; readonly tone: Tone };
export type Column = { readonly title: string; readonly width: number; readonly align?: "left" | "right" };

const GAP = "  ";

/** One line of a table. The last cell is not filled up, so that no line ends in spaces. */
export function tableLine(
  columns: readonly Column[],
  cells: readonly Cell[],
  options: { measure: Measure; color: boolean },
): string {
  let line = "";
  let owed = "";
  columns.forEach((column, index) => {
    const { text, tone } = cells[index] ?? { text: "", tone: "plain" };
    const fitted = fitText(text, column.width, options.measure, column.align);
    const content = fitted.trimEnd();
    if (content !== "") {
      line += owed + paint(content, tone, options.color);
      owed = "";
    }
    owed += " ".repeat(fitted.length - content.length) + GAP;
  });
  return line;
}

export function headerLine(
  columns: readonly Column[],
  options: { measure: Measure; color: boolean },
): string {
  const cells = columns.map(({ title }) => ({ text: title, tone: "quiet" as const }));
  return tableLine(columns, cells, options);
}

/** What the columns and the gaps between them take together. */
export function totalWidth(columns: readonly Column[]): number {
  return columns.reduce((sum, { width }) => sum + width, 0) + GAP.length * Math.max(0, columns.length - 1);
}

/** The widest of the texts, at least as wide as the title. */
export function widest(title: string, texts: Iterable<string>, measure: Measure): number {
  let width = widthOf(title, measure);
  for (const text of texts) width = Math.max(width, widthOf(text, measure));
  return width;
}
