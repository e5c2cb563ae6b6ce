import { visibleLines } from "../text/escape-text.ts";
import { parseDiff } from "../text/parse-diff.ts";

/** What a change does to one file. */
export type FileChange = {
  /** Where the file is now, or was; null: the text has no such name. */
  readonly path: string | null;
  readonly text: string;
  /** Its lines in the whole diff, counted from 1. */
  readonly first: number;
  readonly last: number;
};

/**
 * A diff of git file by file, with signs in place of what can't be seen; joined by line breaks, the texts are the whole.
 * A file that became a link or the other way around is removed and added, in two pieces under one name: they stay together.
 */
export function splitDiff(diff: string): FileChange[] {
  const plain = visibleLines(diff).trimEnd();
  if (plain.trim() === "") return [];
  const files: { readonly head: string; readonly parts: string[] }[] = [];
  // Within a file each line has a mark before it, so none can begin like this.
  for (const piece of plain.split(/\n(?=diff --git )/)) {
    const head = headOf(piece);
    const before = files.at(-1);
    if (before?.head === head) before.parts.push(piece);
    else files.push({ head, parts: [piece] });
  }
  let line = 1;
  return files.map(({ parts }) => {
    const text = parts.join("\n");
    const first = line;
    line += text.split("\n").length;
    return { path: pathIn(text), text, first, last: line - 1 };
  });
}

function headOf(piece: string): string {
  return piece.split("\n", 1)[0] ?? "";
}

/** Without its lines: one of them may be all of a large file. */
function pathIn(piece: string): string | null {
  const lines = piece.indexOf("\n@@ ");
  return parseDiff(lines < 0 ? piece : piece.slice(0, lines))[0]?.path ?? null;
}
