import { type Fence, indentOf, isYaml, type LineRange, scanMarkdown } from "../../markdown/scan-markdown.ts";
import type { TextLines } from "../../text/text-lines.ts";
import type { Problem } from "../problem.ts";

export type PlanBlock = {
  /** Lines of YAML, counted from 0. */
  readonly range: LineRange;
  /** The document's first heading. */
  readonly title: string | null;
};

export type FoundBlock = { readonly block: PlanBlock | null; readonly problems: readonly Problem[] };

const TOP_KEY = /^(\s*)(?:loom|"loom"|'loom')[ \t]*:(?:\s|$)/;
/** All of it between braces, as in JSON. */
const FLOW = /^\s*\{\s*(?:loom|"loom"|'loom')\s*:/;
const SHAPE = "```yaml\nloom:\n  version: 1\n  stages:\n    - id: first-step\n      name: First step\n```";

/** The YAML of a plan document: the fenced block with a top-level `loom:`, or the whole text when it is YAML itself. */
export function findPlanBlock(lines: TextLines): FoundBlock {
  const from = behindFrontMatter(lines);
  if (isBareYaml(lines, from))
    return { block: { range: { from, to: lines.count }, title: null }, problems: [] };
  const { fences, heading } = scanMarkdown(lines);
  const title = heading?.replace(/^plan:\s*/i, "").slice(0, 200) || null;
  const choose = (among: readonly Fence[]): Fence[] =>
    among.filter((fence) => (isYaml(fence.info) || fence.info === "") && holdsPlan(fence, lines));
  const inMetadata = choose(fences.filter(({ marked }) => marked));
  // An example in the prose does not compete with the block that the metadata comments point at.
  const [first, second] = inMetadata.length > 0 ? inMetadata : choose(fences);
  if (!first) return { block: null, problems: [missing(fences, lines)] };
  if (second) return { block: null, problems: [ambiguous(first, second)] };
  return { block: { range: first.content, title }, problems: checkEnd(first, lines) };
}

function holdsPlan(fence: Fence, lines: TextLines): boolean {
  for (let at = fence.content.from; at < fence.content.to; at += 1) {
    // A block that says nothing of itself may be Markdown that shows a plan.
    if (fence.info === "" && /^ {0,3}(?:```|~~~)/.test(lines.line(at))) return false;
    const space = TOP_KEY.exec(lines.line(at))?.[1];
    if (space !== undefined && space.length <= fence.indent) return true;
  }
  return isFlow(lines, fence.content.from);
}

function isFlow(lines: TextLines, from: number): boolean {
  return FLOW.test(lines.text.slice(lines.start(from), lines.start(from) + 200));
}

/** Its first line with content is a key or a flow mapping, and `loom` is among the keys. */
function isBareYaml(lines: TextLines, from: number): boolean {
  let at = from;
  while (at < lines.count && /^(?:\s*|\s*#.*|---\s*|%.*)$/.test(lines.line(at))) at += 1;
  const first = lines.line(at);
  if (isFlow(lines, at)) return true;
  if (!/^["']?[\w-]+["']?[ \t]*:(?:\s|$)/.test(first)) return false;
  const key = /^["']?loom["']?[ \t]*:(?:\s|$)/m.exec(lines.text);
  // No YAML has a fence at the margin: a document that begins with `Goal: …` may have its plan in a block further down.
  return key !== null && !/^(?:```|~~~)/m.test(lines.text.slice(0, key.index));
}

/**
 * The first line behind a header between two `---`, as Markdown documents have it; 0: there is none. YAML may have two
 * documents as well, but a plan is one: then what stands in the first is no header when `loom` is among its keys.
 */
function behindFrontMatter(lines: TextLines): number {
  if (!/^---\s*$/.test(lines.line(0))) return 0;
  for (let at = 1; at < lines.count; at += 1) {
    const line = lines.line(at);
    if (TOP_KEY.exec(line)?.[1] === "") return 0;
    if (/^---\s*$/.test(line)) return at + 1;
  }
  return 0;
}

function missing(fences: readonly Fence[], lines: TextLines): Problem {
  const other = fences.find((fence) => holdsPlan(fence, lines));
  if (other) {
    return problem(
      other.line,
      `The block with \`loom:\` is marked as \`${other.info}\`, not as YAML.`,
      "Open it with ```yaml.",
    );
  }
  const bare = /^loom[ \t]*:(?:\s|$)/m.exec(lines.text);
  if (bare) {
    return problem(
      lines.lineAt(bare.index),
      "The `loom:` block stands outside of a code fence.",
      "Put it between ```yaml and ```.",
    );
  }
  return {
    severity: "error",
    path: "",
    line: null,
    message: "The document has no YAML block with a top-level `loom:`.",
    fix: `Add one:\n${SHAPE}`,
  };
}

function ambiguous(first: Fence, second: Fence): Problem {
  return problem(
    second.line,
    `There are two blocks with \`loom:\`, in line ${first.line + 1} and in line ${second.line + 1}.`,
    "Keep one. An example can stand inside a longer fence, such as ````markdown.",
  );
}

function checkEnd(fence: Fence, lines: TextLines): Problem[] {
  if (!fence.closed) {
    return [
      {
        ...problem(fence.line, "The block with `loom:` is never closed.", "Add a closing fence behind it."),
        severity: "warning",
      },
    ];
  }
  let next = fence.content.to + 1;
  while (next < lines.count && lines.line(next).trim() === "") next += 1;
  const line = lines.line(next);
  if (indentOf(line) < 2 || !/^\s+(?:- |[\w-]+:(?:\s|$))/.test(line)) return [];
  return [
    {
      ...problem(
        next,
        `The plan ends in line ${fence.content.to + 1}, but what follows looks like a part of it.`,
        "If it is, open and close the block with a longer fence, such as ````yaml.",
      ),
      severity: "warning",
    },
  ];
}

function problem(line: number, message: string, fix: string): Problem {
  return { severity: "error", path: "", line: line + 1, message, fix };
}
