import type { DiffSide } from "../types.ts";

/** One part of a file's diff. */
export type Hunk = { readonly header: string; readonly lines: readonly HunkLine[] };

export type HunkLine = {
  /** Number in the file before the change; null for an added line. */
  readonly before: number | null;
  /** Number in the file after it; null for a removed line. */
  readonly after: number | null;
  /** Lines down from the first header of the file, as GitHub counts. */
  readonly position: number;
  readonly text: string;
};

export type Spot = { readonly hunk: Hunk; readonly at: number; readonly line: HunkLine };

/** A patch from its first `@@` on. */
export function readHunks(patch: string): Hunk[] {
  const hunks: (Hunk & { lines: HunkLine[] })[] = [];
  let before = 0;
  let after = 0;
  for (const [position, text] of patch.split("\n").entries()) {
    const start = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(text);
    if (start !== null) {
      before = Number(start[1]);
      after = Number(start[2]);
      hunks.push({ header: text, lines: [] });
      continue;
    }
    const lines = hunks.at(-1)?.lines;
    if (text.startsWith("+")) lines?.push({ before: null, after: after++, position, text });
    else if (text.startsWith("-")) lines?.push({ before: before++, after: null, position, text });
    else if (text.startsWith(" ")) lines?.push({ before: before++, after: after++, position, text });
  }
  return hunks;
}

/** Added and removed lines, and the few around them that the diff shows on either side. */
export function findSpot(hunks: readonly Hunk[], side: DiffSide, number: number): Spot | null {
  for (const hunk of hunks) {
    const at = hunk.lines.findIndex((line) => (side === "RIGHT" ? line.after : line.before) === number);
    const line = hunk.lines[at];
    if (line) return { hunk, at, line };
  }
  return null;
}

/** The number of an untouched line after the change; null when the change touched it. */
export function movedLine(hunks: readonly Hunk[], number: number): number | null {
  let shift = 0;
  for (const { header, lines } of hunks) {
    const start = Number(/^@@ -(\d+)/.exec(header)?.[1] ?? 0);
    const removed = lines.filter(({ after }) => after === null).length;
    const length = lines.filter(({ before }) => before !== null).length;
    // A hunk without any line of before stands behind the line that it names.
    if (number < start || (length === 0 && number === start)) break;
    const line = lines.find(({ before }) => before === number);
    if (line) return line.after;
    shift += lines.length - length - removed;
  }
  return number + shift;
}
