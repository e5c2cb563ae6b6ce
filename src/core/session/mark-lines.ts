import { scanMarkdown } from "../markdown/scan-markdown.ts";
import { splitLines } from "../text/text-lines.ts";
import { COMPLETION_FENCE } from "./completion.ts";

/** A line of Markdown and what it is. Fences themselves are gone: only what stands inside of them is left. */
export type MarkedLine = {
  readonly text: string;
  readonly code: boolean;
  readonly heading: { readonly level: number; readonly title: string } | null;
};

/** All lines but those of the completion block, which is not for people. */
export function markLines(text: string): MarkedLine[] {
  const lines = splitLines(text);
  const marked: MarkedLine[] = [];
  let at = 0;
  const takeUntil = (end: number, code: boolean): void => {
    for (; at < end; at += 1) {
      const line = lines.line(at);
      marked.push({ text: line, code, heading: code ? null : readHeading(line) });
    }
  };
  for (const fence of scanMarkdown(lines).fences) {
    takeUntil(fence.line, false);
    at = fence.content.from;
    if (fence.info === COMPLETION_FENCE) at = fence.content.to;
    else takeUntil(fence.content.to, true);
    if (fence.closed) at += 1;
  }
  takeUntil(lines.count, false);
  return marked;
}

function readHeading(line: string): MarkedLine["heading"] {
  const [, marks = "", rest = ""] = /^ {0,3}(#{1,6})[ \t](.*)$/.exec(line) ?? [];
  return marks === "" ? null : { level: marks.length, title: plainTitle(rest) };
}

/** `**Task Report:** ##`, `2. Task Report` and `Task Report` are the same title. */
export function plainTitle(text: string): string {
  return text
    .slice(0, 200)
    .replace(/[*_`#:]+/g, " ")
    .replace(/^\s*\d{1,3}[.)]/, "")
    .replace(/[\s-]+/g, " ")
    .trim()
    .toLowerCase();
}
