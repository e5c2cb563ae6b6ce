import { scanMarkdown } from "../../markdown/scan-markdown.ts";
import { splitLines, type TextLines } from "../../text/text-lines.ts";

const WRAPPER = /^(?:markdown|md|text|txt)?$/i;
const INNER_OPENING = /^ {0,3}(?:`{3,}|~{3,})[ \t]*\w/m;
const HEADING = /^ {0,3}#{1,6} /m;

/**
 * What stands inside of a code block around the whole answer, or null when there is none. Where the inner blocks have
 * fences like the outer one, a reader of Markdown takes the end of the first of them for the end of the outer one; what
 * follows then belongs to it as well, up to the fence that has no partner.
 */
export function unwrapMarkdown(text: string): string | null {
  const lines = splitLines(text);
  const between = (from: number, to: number): string => lines.text.slice(lines.start(from), lines.start(to));
  const wrapper = scanMarkdown(lines).fences.find(({ info, content }) => {
    if (!WRAPPER.test(info.split(/\s/, 1)[0] ?? "")) return false;
    const inside = between(content.from, content.to);
    return INNER_OPENING.test(inside) || (info !== "" && HEADING.test(inside));
  });
  if (!wrapper) return null;
  const { from, to } = wrapper.content;
  const inside = between(from, to);
  const last = scanMarkdown(splitLines(inside)).fences.at(-1);
  const endsEarly = last !== undefined && !last.closed;
  const isLong = lines.line(wrapper.line).trim().startsWith("````");
  const goesOn = !isLong && HEADING.test(between(to, lines.count));
  return endsEarly || goesOn ? between(from, lastWithoutPartner(lines, from)) : inside;
}

const FENCE = /^ {0,3}(?:`{3,}|~{3,})/;
const BARE_FENCE = /^ {0,3}(?:`{3,}|~{3,})[ \t]*$/;

function lastWithoutPartner(lines: TextLines, from: number): number {
  let count = 0;
  let lastBare = lines.count;
  for (let at = from; at < lines.count; at += 1) {
    const line = lines.line(at);
    if (FENCE.test(line)) count += 1;
    if (BARE_FENCE.test(line)) lastBare = at;
  }
  return count % 2 === 1 ? lastBare : lines.count;
}
