/**
 * What a line of a comment opens. Everything that a renderer could take for the begin of something hidden has to end in
 * the same line, in a shape that all of them read alike; no attempt is made to know better than that (T46). Linear: no
 * pattern looks behind the next mark of its own kind.
 */
export type LineScan = {
  /** `comment`: its last mark opens a comment that goes on in the next line. */
  readonly html: "closed" | "comment" | "unclear";
  /** Whether all brackets are closed, and all links written plainly. */
  readonly links: boolean;
  /** Lengths of the runs of backticks that no other run in the line answers. */
  readonly lone: readonly number[];
  /** Signs outside of code that strike out or make a formula, up to the next one. */
  readonly signs: ReadonlySet<string>;
};

/** As Markdown: code and escapes take the meaning from marks. As HTML, where they do not. */
export type ScanMode = "markdown" | "html";

/** What a browser could take for HTML. */
export const HTML = /<[a-z!?/]/i;

const MARKS = {
  markdown: /\\.|`+|<[a-z!?/]|\]\(|[[\]~$]/gi,
  html: /<[a-z!?/]/gi,
} as const;

const COMMENT = /<!--(?!-?>)(?:[^-]|-(?!-))*-->/y;
const INSTRUCTION = /<(?:\?[^<>"'`]*\?|!\[CDATA\[[^<>"'`]*\]\])>/y;
const ADDRESS = /<(?:[a-z][a-z0-9+.-]{1,31}:[^\s<>"'`\\]*|[\w.+-]+@[\w.-]+)>/iy;
const VALUE = String.raw`"[^"<>${"`"}]*"|'[^'<>${"`"}]*'|[\w.%#:/-]+`;
const ATTRIBUTE = `(?:align|alt|height|href|name|open|src|title|width)(?:=(?:${VALUE}))?`;
const TAG = new RegExp(
  String.raw`<(?:([a-z]+[1-6]?)(?:[ \t]+${ATTRIBUTE})*[ \t]*/?|/([a-z]+[1-6]?)[ \t]*)>`,
  "iy",
);
/** They change nothing about whether text is seen, even if they are never closed. */
const BLOCKS = new Set(["center", "div", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "p"]);
const INLINE = new Set(["a", "b", "br", "em", "i", "img", "ins", "span", "strong", "u"]);
/** What they hold shows as code, small, struck out, as a quote or folded, so they have to be closed. */
const CLOSED = new Set(
  "blockquote code del details kbd pre q s samp small strike sub summary sup tt var".split(" "),
);

const PART = String.raw`[^\s()[\]<>"'${"`"}\\]*`;
const TARGET = new RegExp(
  String.raw`\([ \t]*${PART}(?:\(${PART}\)${PART})*(?:[ \t]+(?:"[^"[\]<${"`"}\\]*"|'[^'[\]<${"`"}\\]*'))?[ \t]*\)`,
  "y",
);

export function scanLine(line: string, mode: ScanMode = "markdown"): LineScan {
  const marks = MARKS[mode];
  marks.lastIndex = 0;
  const runs = backtickRuns(line);
  const elements: string[] = [];
  const lone: number[] = [];
  const signs = new Set<string>();
  let brackets = 0;
  let isPlain = true;
  const result = (html: LineScan["html"]): LineScan => ({
    html,
    links: isPlain && brackets === 0,
    lone,
    signs,
  });
  for (let match = marks.exec(line); match; match = marks.exec(line)) {
    const at = match.index;
    const mark = match[0];
    if (mark.startsWith("<")) {
      const end = endOfHtml(line, at, elements);
      if (end === null) return result(opensComment(line, at) ? "comment" : "unclear");
      marks.lastIndex = end;
    } else if (mark.startsWith("`")) {
      const end = runs.endAfter(mark.length, at + mark.length);
      if (end === null) lone.push(mark.length);
      else marks.lastIndex = end;
    } else if (mark === "[") brackets += 1;
    else if (mark.startsWith("]")) {
      brackets = Math.max(0, brackets - 1);
      if (mark === "]") continue;
      const target = matchAt(TARGET, line, at + 1)?.[0];
      isPlain &&= target !== undefined;
      if (target === undefined) continue;
      marks.lastIndex = at + 1 + target.length;
      // What looks like a link may be none, so signs in its address count.
      for (const sign of target.match(/[~$]/g) ?? []) signs.add(sign);
    } else if (!mark.startsWith("\\")) signs.add(mark);
  }
  return result(elements.length === 0 ? "closed" : "unclear");
}

/** Behind what begins here, if that is whole. `elements`: those that are open in the line, the last one innermost. */
function endOfHtml(line: string, at: number, elements: string[]): number | null {
  const whole = matchAt(COMMENT, line, at) ?? matchAt(INSTRUCTION, line, at) ?? matchAt(ADDRESS, line, at);
  if (whole) return at + whole[0].length;
  const [tag, opened, ended] = matchAt(TAG, line, at) ?? [];
  if (tag === undefined) return null;
  const name = (opened ?? ended ?? "").toLowerCase();
  if (CLOSED.has(name)) {
    if (opened !== undefined) elements.push(name);
    else if (elements.pop() !== name) return null;
    return at + tag.length;
  }
  // A browser does not end an element at its tag where a block inside of it is still open.
  const isHarmless = INLINE.has(name) || (BLOCKS.has(name) && elements.length === 0);
  return isHarmless ? at + tag.length : null;
}

export function isWholeComment(line: string): boolean {
  const comment = matchAt(COMMENT, line, 0)?.[0];
  return comment !== undefined && /^[ \t]*$/.test(line.slice(comment.length));
}

function opensComment(line: string, at: number): boolean {
  return line.startsWith("<!--", at) && !line.includes("-->", at);
}

function matchAt(pattern: RegExp, line: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(line);
}

/** A code span ends at the next run of as many backticks as it began with. */
function backtickRuns(text: string): { endAfter(length: number, offset: number): number | null } {
  const starts = new Map<number, number[]>();
  for (const { 0: run, index } of text.matchAll(/`+/g)) {
    const list = starts.get(run.length) ?? [];
    starts.set(run.length, list);
    list.push(index);
  }
  const places = new Map<number, number>();
  return {
    endAfter(length, offset) {
      const list = starts.get(length) ?? [];
      let place = places.get(length) ?? 0;
      while ((list[place] ?? Number.POSITIVE_INFINITY) < offset) place += 1;
      places.set(length, place);
      const start = list[place];
      return start === undefined ? null : start + length;
    },
  };
}
