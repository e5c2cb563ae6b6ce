/**
 * A block of code between two lines of marks. One at the start of a line is code for every renderer. One that is indented
 * belongs to a list item or to nothing, which only a whole parser knows; so it has to end as it began, and is else unclear.
 */
export type Fence = {
  readonly mark: string;
  readonly length: number;
  /** Where its marks begin in their line. */
  readonly column: number;
  /** `item`: it begins the text of a list item, and ends with that at the latest. */
  readonly place: "start" | "item" | "indented";
};

export type FenceLine = "inside" | "closes" | "left" | "unclear";

const LEAD = String.raw`(?:[ \t]|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))*`;
const OPENING = new RegExp(`^(${LEAD})(?:(\`{3,})[^\`]*|(~{3,}).*)$`, "s");
/** A list item for certain; another number than 1 only where no paragraph goes on. */
const ITEM = /^ {0,3}(?:[-*+]|1[.)]) {1,4}$/;
const NEW_ITEM = /^ {0,3}\d{1,9}[.)] {1,4}$/;

/** `isNew`: the line above ends no sentence that could go on. `unclear`: nobody knows whether it is one. */
export function openFence(line: string, isNew: boolean): Fence | "unclear" | null {
  const [, lead = "", backticks, tildes] = OPENING.exec(line) ?? [];
  const marks = backticks ?? tildes;
  if (marks === undefined) return null;
  if (lead.includes("\t")) return "unclear";
  const fence = { mark: marks.charAt(0), length: marks.length, column: lead.length };
  if (lead === "") return { ...fence, place: "start" };
  const isItem = ITEM.test(lead) || (isNew && NEW_ITEM.test(lead));
  return { ...fence, place: isItem ? "item" : "indented" };
}

/** What a line below the opening one is to the fence. */
export function readFenceLine(line: string, { mark, length, column, place }: Fence): FenceLine {
  const text = line.replace(/^[ \t]+/, "");
  if (text === "") return "inside";
  const indent = widthOf(line.slice(0, line.length - text.length));
  const marks = /^(`+|~+)[ \t]*$/.exec(text)?.[1] ?? "";
  const isClosing = marks.startsWith(mark) && marks.length >= length;
  if (place === "start") return isClosing && indent <= 3 ? "closes" : "inside";
  if (indent < column) return place === "item" ? "left" : "unclear";
  if (!isClosing) return "inside";
  if (place === "item") return indent <= column + 3 ? "closes" : "inside";
  return indent === column ? "closes" : "unclear";
}

/** A tab goes to the next column that four divides. */
function widthOf(indent: string): number {
  let width = 0;
  for (const char of indent) width += char === "\t" ? 4 - (width % 4) : 1;
  return width;
}
