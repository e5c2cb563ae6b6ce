/** Where the lines of a text begin. Lines are counted from 0 here and from 1 in what people read. */
export type TextLines = {
  readonly text: string;
  readonly count: number;
  /** Offset of the line's first character; the end of the text for a line behind the last one. */
  start(line: number): number;
  /** Without its line break. */
  line(line: number): string;
  /** The line that holds the offset. */
  lineAt(offset: number): number;
};

export function splitLines(text: string): TextLines {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  const start = (line: number): number => starts[line] ?? text.length;
  return {
    text,
    count: starts.length,
    start,
    line(line) {
      let end = start(line + 1);
      if (line + 1 < starts.length) end -= text.charAt(end - 2) === "\r" ? 2 : 1;
      return text.slice(start(line), Math.max(start(line), end));
    },
    lineAt(offset) {
      let low = 0;
      let high = starts.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (start(middle) <= offset) low = middle;
        else high = middle - 1;
      }
      return low;
    },
  };
}
