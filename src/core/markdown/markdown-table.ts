/** Cells are Markdown that has been escaped; this only keeps them in their columns. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return "";
  const line = (cells: readonly string[]): string => `| ${cells.map(toCell).join(" | ")} |`;
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)].join("\n");
}

/** A pipe ends a cell even inside of code, unless an odd number of backslashes stands before it. */
function toCell(text: string): string {
  return text
    .replace(/\n/g, "<br>")
    .replace(/(?<!\\)(\\*)\|/g, (all, slashes: string) => (slashes.length % 2 === 0 ? `${slashes}\\|` : all));
}
