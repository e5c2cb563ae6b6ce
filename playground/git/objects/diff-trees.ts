import type { GitChangedFile } from "../../model/model-git.ts";
import { table } from "../../table.ts";
import { asRevision, runGit } from "../run-git.ts";

/** Git knows it without storing it. */
const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
const PLAIN = ["--no-ext-diff", "--no-textconv", "--no-color"];

export async function diffTrees(gitDir: string, from: string | null, to: string): Promise<string> {
  const trees = [asRevision(from ?? EMPTY_TREE), asRevision(to)];
  const asked = ["diff-tree", "-r", "-p", "-M", "--full-index", ...PLAIN, ...trees];
  return (await runGit(gitDir, asked)).stdout;
}

export async function changedFiles(
  gitDir: string,
  from: string | null,
  to: string,
): Promise<GitChangedFile[]> {
  const trees = [asRevision(from ?? EMPTY_TREE), asRevision(to)];
  const asked = ["diff-tree", "-r", "-M", "-z", "--raw", "--numstat", "-p", "--full-index", "--no-abbrev"];
  const { stdout } = await runGit(gitDir, [...asked, ...PLAIN, ...trees]);
  // Two lists, an empty field and the text; a patch may hold zero bytes of its own.
  const fields = stdout.split("\0");
  const entries = readRaw(fields);
  const rawWidth = entries.reduce((sum, entry) => sum + entry.width, 0);
  const { counts, width } = readCounts(fields.slice(rawWidth), entries.length);
  const text = fields.slice(rawWidth + width + 1).join("\0");
  const parts = text.split(/^(?=diff --git )/m).filter((part) => part !== "");
  let part = 0;
  return entries.map((entry, index) => {
    // A file that became a link is shown as one removed and one added.
    const shown = parts.slice(part, part + (entry.letter === "T" ? 2 : 1));
    part += shown.length;
    const hunks = shown.map(hunksOf).filter((hunk) => hunk !== "");
    return {
      ...entry.file,
      ...(counts[index] ?? { additions: 0, deletions: 0 }),
      patch: hunks.length === 0 || isTooLarge(hunks) ? null : hunks.join("\n"),
    };
  });
}

/** What GitHub says of the diff of one file: at most so many lines, and so many bytes. */
const MAX_LINES = 20_000;
const MAX_BYTES = 1_000_000;

function isTooLarge(hunks: readonly string[]): boolean {
  const lines = hunks.reduce((sum, hunk) => sum + hunk.split("\n").length, 0);
  return lines > MAX_LINES || hunks.reduce((sum, hunk) => sum + Buffer.byteLength(hunk), 0) > MAX_BYTES;
}

type RawEntry = {
  readonly letter: string;
  /** How many fields it took. */
  readonly width: number;
  readonly file: Pick<GitChangedFile, "path" | "previousPath" | "status" | "sha">;
};

const STATUS: Readonly<Record<string, GitChangedFile["status"]>> = table({
  A: "added",
  D: "removed",
  R: "renamed",
});

/** `:100644 100644 <old> <new> M`, path; renames carry two paths. The first field that is none starts the counts. */
function readRaw(fields: readonly string[]): RawEntry[] {
  const entries: RawEntry[] = [];
  for (let at = 0; fields[at]?.startsWith(":"); at += entries.at(-1)?.width ?? 1) {
    const [, , before = "", after = "", kind = ""] = (fields[at] ?? "").split(" ");
    const letter = kind.charAt(0);
    const moved = letter === "R" || letter === "C";
    const path = fields[at + (moved ? 2 : 1)] ?? "";
    const previousPath = letter === "R" ? (fields[at + 1] ?? null) : null;
    const status = STATUS[letter] ?? "modified";
    const sha = status === "removed" ? before : after;
    entries.push({ letter, width: moved ? 3 : 2, file: { path, previousPath, status, sha } });
  }
  return entries;
}

type Count = { readonly additions: number; readonly deletions: number };

/** `1\t2\tpath`; for a rename the path is empty and two fields follow. Binary files have `-`. */
function readCounts(fields: readonly string[], count: number): { counts: Count[]; width: number } {
  const counts: Count[] = [];
  let at = 0;
  for (; counts.length < count && at < fields.length; at += 1) {
    const [additions = "", deletions = "", path = ""] = (fields[at] ?? "").split("\t");
    counts.push({ additions: Number(additions) || 0, deletions: Number(deletions) || 0 });
    if (path === "") at += 2;
  }
  return { counts, width: at };
}

function hunksOf(part: string): string {
  const start = part.search(/^@@ /m);
  return start < 0 ? "" : part.slice(start).replace(/\n$/, "");
}
