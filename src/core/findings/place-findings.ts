import type { Finding } from "../task/task-events.ts";
import { type FileDiff, type Hunk, lastLineOf, type NewLine } from "../text/parse-diff.ts";

/**
 * GitHub takes a review as a whole or not at all: one remark on a line that the change does not show, and none of them
 * is made. So a remark is put on a line only where the diff has that line. A finding right beside the change is not
 * moved onto it, because it would then speak about other code; it is told in the review's own text.
 */
export type PlacedFinding = {
  readonly finding: Finding;
  readonly path: string;
  /** null: one line. Otherwise above `line`, in the same hunk. */
  readonly startLine: number | null;
  readonly line: number;
  /** The finding speaks of more lines than these. */
  readonly shortened: boolean;
  /** What may replace these very lines, indented like them. */
  readonly suggestion: string | null;
};

export type Placed = {
  readonly onLines: readonly PlacedFinding[];
  readonly elsewhere: readonly Finding[];
};

export function placeFindings(findings: readonly Finding[], diff: readonly FileDiff[]): Placed {
  const named = new Set(findings.map(({ file }) => file));
  const hunks = new Map<string, Hunk[]>();
  for (const { path, status, hunks: shown } of diff) {
    if (status === "deleted" || !named.has(path)) continue;
    // A file may have more of them than a call takes arguments.
    hunks.set(path, (hunks.get(path) ?? []).concat(shown));
  }
  const onLines: PlacedFinding[] = [];
  const elsewhere: Finding[] = [];
  for (const finding of findings) {
    const placed = place(finding, finding.file === null ? [] : (hunks.get(finding.file) ?? []));
    if (placed) onLines.push(placed);
    else elsewhere.push(finding);
  }
  return { onLines, elsewhere };
}

function place(finding: Finding, hunks: readonly Hunk[]): PlacedFinding | null {
  const { file, line } = finding;
  if (file === null || line === null) return null;
  const first = Math.min(line, finding.endLine ?? line);
  const last = Math.max(line, finding.endLine ?? line);
  // A hunk that only takes lines away has none to stand on.
  const hunk = hunks.find((one) => one.lines.length > 0 && one.start <= last && lastLineOf(one) >= first);
  if (!hunk) return null;
  const from = Math.max(first, hunk.start);
  const to = Math.min(last, lastLineOf(hunk));
  const shortened = from !== first || to !== last;
  const replaced = hunk.lines.slice(from - hunk.start, to - hunk.start + 1);
  return {
    finding,
    path: file,
    startLine: from < to ? from : null,
    line: to,
    shortened,
    suggestion: finding.suggestion === null || shortened ? null : indentLike(finding.suggestion, replaced),
  };
}

/** YAML takes the indentation of a text away, and a suggestion that has lost it would break the file. */
function indentLike(suggestion: string, replaced: readonly NewLine[]): string {
  const lines = suggestion.split("\n");
  const there = replaced.map(({ text }) => text);
  const wanted = leastIndent(there);
  if (wanted === "" || leastIndent(lines) !== "") return suggestion;
  const [first = "", ...rest] = lines;
  if (hasLostFirst(rest, there.slice(1), wanted)) return [wanted + first, ...rest].join("\n");
  return lines.map((line) => (line.trim() === "" ? line : wanted + line)).join("\n");
}

/** Around a text in quotes only the first line loses its indentation: the others are as deep as those they replace. */
function hasLostFirst(rest: readonly string[], replaced: readonly string[], wanted: string): boolean {
  const least = leastIndent(rest);
  if (!least.startsWith(wanted)) return false;
  return least === leastIndent(replaced) || /^\s*[)\]}]/.test(rest.at(-1) ?? "");
}

function leastIndent(lines: readonly string[]): string {
  const indents = lines.filter((line) => line.trim() !== "").map((line) => /^[ \t]*/.exec(line)?.[0] ?? "");
  return (
    indents.reduce<string | null>(
      (least, one) => (least === null || one.length < least.length ? one : least),
      null,
    ) ?? ""
  );
}
