import type { Measure } from "../../core/text/text-width.ts";
import type { Write } from "./tolerant-writer.ts";

/**
 * Lines at the bottom of a terminal that are drawn over and over in the same place. The cursor rests at the start of
 * the line below the last one. Only lines that changed are written, all of a frame in one write and between the marks
 * of a synchronised update, so that no half-drawn state is seen. Wrapping is off meanwhile: should the terminal hold
 * a character for wider than we do, the line loses its end instead of pushing all others down.
 */
export type Frame = {
  draw(lines: readonly string[], columns: number): void;
  /** Takes the lines away; what is written next stands where they were. */
  clear(columns: number): void;
  /** Lets the lines stand; the next frame begins below them. */
  release(): void;
};

const BEGIN = "\u001b[?2026h\u001b[?7l";
const END = "\u001b[?7h\u001b[?2026l";
const CLEAR_LINE = "\u001b[K";
const CLEAR_BELOW = "\u001b[J";

export function createFrame(write: Write, measure: Measure): Frame {
  let shown: readonly string[] = [];
  let drawnAt = 0;

  const toTop = (columns: number): string => {
    const rows = columns === drawnAt ? shown.length : rowsAfterReflow(shown, columns, measure);
    return rows === 0 ? "\r" : `\u001b[${rows}A\r`;
  };

  return {
    draw(lines, columns) {
      const reflowed = columns !== drawnAt;
      if (!reflowed && sameLines(lines, shown)) return;
      const body = lines.map((line, index) =>
        !reflowed && line === shown[index] ? "\n" : `${CLEAR_LINE}${line}\r\n`,
      );
      write(BEGIN + toTop(columns) + (reflowed ? CLEAR_BELOW : "") + body.join("") + CLEAR_BELOW + END);
      shown = lines;
      drawnAt = columns;
    },
    clear(columns) {
      if (shown.length > 0) write(toTop(columns) + CLEAR_BELOW);
      shown = [];
    },
    release() {
      shown = [];
    },
  };
}

function sameLines(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, index) => line === b[index]);
}

/** A terminal that became narrower has broken our lines into several rows; nearly all of them do. */
function rowsAfterReflow(lines: readonly string[], columns: number, measure: Measure): number {
  return lines.reduce((rows, line) => rows + Math.max(1, Math.ceil(measure(line) / Math.max(1, columns))), 0);
}
