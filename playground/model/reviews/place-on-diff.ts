import type { GitChangedFile } from "../model-git.ts";
import { findSpot, readHunks, type Spot } from "../pulls/read-hunks.ts";
import type { DiffRange } from "../types.ts";

export type Placed =
  | { readonly kind: "placed"; readonly position: number; readonly hunk: string }
  /** In GitHub's words. */
  | { readonly kind: "refused"; readonly reasons: readonly string[] };

const NO_HUNK = "Pull request review thread diff hunk can't be blank";
const NOT_SAME_HUNK = "Pull request review thread start line must be part of the same hunk as the line.";

/** Whether GitHub would take a comment on these lines of this diff. */
export function placeOnDiff(files: readonly GitChangedFile[], path: string, range: DiffRange): Placed {
  const file = files.find((one) => one.path === path);
  if (!file) return refused("Pull request review thread path is invalid", NO_HUNK);
  const hunks = readHunks(file.patch ?? "");
  const end = findSpot(hunks, range.side, range.line);
  const hasStart = range.startLine !== null;
  if (!end) {
    const line = "Pull request review thread line must be part of the diff";
    return hasStart ? refused(line, NOT_SAME_HUNK, NO_HUNK) : refused(line, NO_HUNK);
  }
  if (range.startLine !== null) {
    const start = findSpot(hunks, range.startSide, range.startLine);
    if (!start || start.hunk !== end.hunk) return refused(NOT_SAME_HUNK);
    if (start.at >= end.at)
      return refused("Pull request review thread start line must precede the end line.");
  }
  return { kind: "placed", position: end.line.position, hunk: hunkTo(end) };
}

function refused(...reasons: string[]): Placed {
  return { kind: "refused", reasons };
}

function hunkTo({ hunk, at }: Spot): string {
  return [hunk.header, ...hunk.lines.slice(0, at + 1).map(({ text }) => text)].join("\n");
}
