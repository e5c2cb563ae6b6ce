import type { TextLines } from "../text/text-lines.ts";

/**
 * The parts of a Markdown document that matter for finding the plan in it: fenced code blocks as CommonMark has them,
 * the first heading, and the comments that mark the metadata. What stands inside a fence or an HTML comment is not
 * looked at, so a fence may show another fence, and a plan may show plans.
 */
export type Markdown = {
  readonly fences: readonly Fence[];
  readonly heading: string | null;
};

/** From the first line up to, and without, the last one. */
export type LineRange = { readonly from: number; readonly to: number };

export type Fence = {
  /** The line that opens it. */
  readonly line: number;
  readonly indent: number;
  /** What stands behind the opening fence. */
  readonly info: string;
  readonly content: LineRange;
  readonly closed: boolean;
  /** It stands between the comments that mark the metadata. */
  readonly marked: boolean;
};

// None of these may have two parts that can match the same spaces: the time has to stay linear in the line.
const OPENING = /^( {0,3})(`{3,}|~{3,})(.*)$/;
const CLOSING = /^( {0,3})(`{3,}|~{3,})[ \t]*$/;
const HEADING = /^ {0,3}#{1,6}[ \t](.*)$/;
const COMMENT = /^ {0,3}<!--/;
const METADATA = /^ {0,3}<!--\s*loom METADATA/i;
const END_METADATA = /^ {0,3}<!--\s*END loom METADATA/i;

export function scanMarkdown(lines: TextLines): Markdown {
  const shallow = createShallowLines(lines);
  const lastCommentEnd = lines.lineAt(Math.max(0, lines.text.lastIndexOf("-->")));
  const fences: Fence[] = [];
  let heading: string | null = null;
  let marked = false;
  let at = 0;
  while (at < lines.count) {
    const line = lines.line(at);
    const first = line.trimStart().charAt(0);
    const fence = first === "`" || first === "~" ? readFence(line, at, lines, shallow) : null;
    if (fence) {
      fences.push({ ...fence, marked });
      at = fence.content.to + (fence.closed ? 1 : 0);
      continue;
    }
    if (first === "<") {
      if (METADATA.test(line)) marked = true;
      else if (END_METADATA.test(line)) marked = false;
      else if (COMMENT.test(line) && at < lastCommentEnd) while (!lines.line(at).includes("-->")) at += 1;
    } else if (heading === null && first !== "") {
      heading = readHeading(line) ?? readUnderlined(line, at, lines);
    }
    at += 1;
  }
  return { fences, heading };
}

function readHeading(line: string): string | null {
  const text = HEADING.exec(line)?.[1]
    ?.trim()
    .replace(/[ \t]#+$/, "")
    .trim();
  return text || null;
}

function readUnderlined(line: string, at: number, lines: TextLines): string | null {
  return /^ {0,3}\S/.test(line) && /^ {0,3}=+[ \t]*$/.test(lines.line(at + 1)) ? line.trim() : null;
}

function readFence(
  line: string,
  at: number,
  lines: TextLines,
  shallow: ShallowLines,
): Omit<Fence, "marked"> | null {
  const [, space = "", marks = "", rest = ""] = OPENING.exec(line) ?? [];
  const info = rest.trim();
  if (marks === "" || (marks.startsWith("`") && info.includes("`"))) return null;
  const closes = (number: number): boolean => {
    const end = CLOSING.exec(lines.line(number))?.[2] ?? "";
    return end.startsWith(marks.charAt(0)) && end.length >= marks.length;
  };
  let end = at + 1;
  while (end < lines.count && !closes(end)) end += 1;
  // A closing fence that stands further right than the opening one may be part of a text inside the YAML. It is, when
  // the next line that is not indented as deep closes the fence, too.
  if (isYaml(info) && end < lines.count && indentOf(lines.line(end)) > space.length) {
    const next = shallow.nextAfter(end, space.length);
    if (next !== null && closes(next)) end = next;
  }
  const content = { from: at + 1, to: end };
  return { line: at, indent: space.length, info, content, closed: end < lines.count };
}

export function isYaml(info: string): boolean {
  return /^\{?\.?ya?ml\b/i.test(info);
}

export function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** The next line with at most so much indentation; found for all lines in one pass, when it is first asked for. */
type ShallowLines = { nextAfter(line: number, indent: number): number | null };

function createShallowLines(lines: TextLines): ShallowLines {
  let next: Int32Array[] | null = null;
  return {
    nextAfter(line, indent) {
      next ??= findShallowLines(lines);
      const found = next[indent]?.[line + 1] ?? -1;
      return found === -1 ? null : found;
    },
  };
}

function findShallowLines(lines: TextLines): Int32Array[] {
  const next = [0, 1, 2, 3].map(() => new Int32Array(lines.count + 1).fill(-1));
  for (let at = lines.count - 1; at >= 0; at -= 1) {
    const line = lines.line(at);
    const indent = line.trim() === "" ? Number.POSITIVE_INFINITY : indentOf(line);
    for (const [most, row] of next.entries()) row[at] = indent <= most ? at : (row[at + 1] ?? -1);
  }
  return next;
}
