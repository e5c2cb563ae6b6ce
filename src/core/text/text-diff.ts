/** How many comparisons a diff may take; beyond that, what differs is shown as replaced as a whole. */
const MAX_CELLS = 1_000_000;

type Line = { readonly mark: " " | "-" | "+"; readonly text: string };

/** What changed between two texts, line by line, each change with some lines around it. Empty when nothing did. */
export function textDiff(before: string, after: string, around = 2): string {
  if (before === after) return "";
  const lines = compare(before.split("\n"), after.split("\n"));
  const near = new Set<number>();
  for (const [place, { mark }] of lines.entries())
    if (mark !== " ") for (let at = place - around; at <= place + around; at += 1) near.add(at);
  const shown: string[] = [];
  for (const [place, { mark, text }] of lines.entries()) {
    if (!near.has(place)) continue;
    if (place === 0 || !near.has(place - 1)) shown.push("@@");
    shown.push(`${mark}${text}`.trimEnd());
  }
  return shown.join("\n");
}

function compare(before: readonly string[], after: readonly string[]): Line[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  const same = (text: string): Line => ({ mark: " ", text });
  return [
    ...before.slice(0, start).map(same),
    ...compareMiddle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map(same),
  ];
}

/** By the longest sequence of lines that both have. */
function compareMiddle(before: readonly string[], after: readonly string[]): Line[] {
  const gone = (text: string): Line => ({ mark: "-", text });
  const come = (text: string): Line => ({ mark: "+", text });
  const width = after.length + 1;
  if (before.length * after.length > MAX_CELLS) return [...before.map(gone), ...after.map(come)];
  const longest = new Uint32Array((before.length + 1) * width);
  const at = (row: number, column: number): number => longest[row * width + column] ?? 0;
  for (let row = before.length - 1; row >= 0; row -= 1)
    for (let column = after.length - 1; column >= 0; column -= 1)
      longest[row * width + column] =
        before[row] === after[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
  const lines: Line[] = [];
  let row = 0;
  let column = 0;
  while (row < before.length || column < after.length) {
    const one = before[row];
    const other = after[column];
    if (one !== undefined && one === other) {
      lines.push({ mark: " ", text: one });
      row += 1;
      column += 1;
    } else if (one !== undefined && (other === undefined || at(row + 1, column) >= at(row, column + 1))) {
      lines.push(gone(one));
      row += 1;
    } else if (other !== undefined) {
      lines.push(come(other));
      column += 1;
    }
  }
  return lines;
}
