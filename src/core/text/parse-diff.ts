import { inNew, inOld, readDiffPath, readGitHeader } from "./read-diff-path.ts";

/**
 * A unified diff as git writes it, read for one question: which lines of the new files does it show? Only these can
 * carry a remark on GitHub. The text may be cut anywhere; lines that are missing are not in the answer.
 */
export type FileDiff = {
  /** Where the file is now; where it was, when it is deleted. */
  readonly path: string;
  /** null: it is new. */
  readonly oldPath: string | null;
  readonly status: "added" | "deleted" | "renamed" | "copied" | "modified";
  readonly binary: boolean;
  readonly hunks: readonly Hunk[];
};

export type Hunk = {
  /** The number of its first line in the new file. */
  readonly start: number;
  /** Those of the new file, one after another; none where lines were only taken away. */
  readonly lines: readonly NewLine[];
};

export type NewLine = { readonly text: string; readonly added: boolean };

export function lastLineOf({ start, lines }: Hunk): number {
  return start + lines.length - 1;
}

type OpenFile = {
  from: string | null;
  to: string | null;
  status: FileDiff["status"];
  binary: boolean;
  readonly hunks: { start: number; lines: NewLine[] }[];
};

const HUNK = /^@@ -\d{1,9}(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@/;

export function parseDiff(text: string): readonly FileDiff[] {
  const files: OpenFile[] = [];
  let file: OpenFile | null = null;
  /** How many lines of either side the hunk still has; its text may look like anything, also like a header. */
  let old = 0;
  let fresh = 0;
  const begin = (from: string | null, to: string | null): OpenFile => {
    const begun: OpenFile = { from, to, status: "modified", binary: false, hunks: [] };
    files.push(begun);
    return begun;
  };
  const lines = text.split("\n");
  // What ends with a line break has no further line behind it.
  if (lines.at(-1) === "") lines.pop();
  for (const raw of lines) {
    const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
    const hunk = file?.hunks.at(-1);
    if (hunk && (old > 0 || fresh > 0)) {
      const mark = line.charAt(0);
      if (mark === "+" && fresh > 0) {
        hunk.lines.push({ text: line.slice(1), added: true });
        fresh -= 1;
        continue;
      }
      if (mark === "-" && old > 0) {
        old -= 1;
        continue;
      }
      // Some programs take the one space of an empty line away.
      if ((mark === " " || mark === "") && old > 0 && fresh > 0) {
        hunk.lines.push({ text: line.slice(1), added: false });
        old -= 1;
        fresh -= 1;
        continue;
      }
      if (mark === "\\") continue;
      old = 0;
      fresh = 0;
    }
    if (line.startsWith("diff --git ")) {
      const names = readGitHeader(line);
      file = begin(names?.from ?? null, names?.to ?? null);
    } else if (line.startsWith("diff --cc ") || line.startsWith("diff --combined ")) {
      const path = readDiffPath(line.slice(line.indexOf(" ", "diff --".length) + 1));
      file = begin(path, path);
    } else if (line.startsWith("--- ")) {
      if (!file || file.hunks.length > 0) file = begin(null, null);
      readOldName(file, line);
    } else if (file) {
      const opened = readHeader(file, line);
      if (opened) [old, fresh] = opened;
    }
  }
  return files.flatMap(finish);
}

/** The hunks of one file, as GitHub tells them. */
export function parsePatch(path: string, patch: string): FileDiff {
  const [file] = parseDiff(`--- a/-\n+++ b/-\n${patch}`);
  return { path, oldPath: null, status: "modified", binary: false, hunks: file?.hunks ?? [] };
}

/** How many lines of either side a hunk has that begins here. */
function readHeader(file: OpenFile, line: string): readonly [old: number, fresh: number] | null {
  const found = HUNK.exec(line);
  if (found) {
    const [, old = "1", start = "0", fresh = "1"] = found;
    file.hunks.push({ start: Number(start), lines: [] });
    return [Number(old), Number(fresh)];
  }
  if (file.hunks.length > 0) return null;
  if (line.startsWith("+++ ")) readNewName(file, line);
  else if (line.startsWith("new file mode ")) file.status = "added";
  else if (line.startsWith("deleted file mode ")) file.status = "deleted";
  else if (line.startsWith("rename from ")) rename(file, "renamed", line.slice(12), null);
  else if (line.startsWith("rename to ")) rename(file, "renamed", null, line.slice(10));
  else if (line.startsWith("copy from ")) rename(file, "copied", line.slice(10), null);
  else if (line.startsWith("copy to ")) rename(file, "copied", null, line.slice(8));
  else if (line.startsWith("Binary files ") || line === "GIT binary patch") file.binary = true;
  return null;
}

function rename(file: OpenFile, status: "renamed" | "copied", from: string | null, to: string | null): void {
  file.status = status;
  if (from !== null) file.from = readDiffPath(from);
  if (to !== null) file.to = readDiffPath(to);
}

/** git puts a tab behind a name with spaces; other programs put the time there. */
function nameIn(line: string): string {
  const text = line.slice(4);
  const end = text.indexOf("\t");
  return readDiffPath(end === -1 ? text : text.slice(0, end));
}

function readOldName(file: OpenFile, line: string): void {
  const name = nameIn(line);
  if (name === "/dev/null") file.status = "added";
  else file.from = inOld(name);
}

function readNewName(file: OpenFile, line: string): void {
  const name = nameIn(line);
  if (name === "/dev/null") file.status = "deleted";
  else file.to = inNew(name);
}

/** A name that was cut off with the end of the text is none. */
function finish({ from, to, status, binary, hunks }: OpenFile): FileDiff[] {
  const path = status === "deleted" ? from : to;
  if (path === null || path === "") return [];
  return [{ path, oldPath: status === "added" ? null : from, status, binary, hunks }];
}
