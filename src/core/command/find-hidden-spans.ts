/**
 * The parts of a paragraph that Markdown shows as code or not at all: code spans and HTML comments, which may both go
 * over several lines. Whichever begins first wins. A comment that is never closed counts up to
 * the end, to be safe. Linear: every end is looked up, none is searched for twice.
 */
export function findHiddenSpans(paragraph: string): (offset: number) => boolean {
  const spans: { readonly from: number; readonly to: number }[] = [];
  const runs = backtickRuns(paragraph);
  const lastComment = paragraph.lastIndexOf("-->");
  const next = /\\[\s\S]|`+|<!--/g;
  for (let match = next.exec(paragraph); match; match = next.exec(paragraph)) {
    const from = match.index;
    const mark = match[0];
    if (mark.startsWith("\\")) continue;
    const after = from + mark.length;
    const to = mark.startsWith("`")
      ? runs.endAfter(mark.length, after)
      : after <= lastComment
        ? paragraph.indexOf("-->", after) + 3
        : paragraph.length;
    if (to === null) continue;
    spans.push({ from, to });
    next.lastIndex = to;
  }
  let at = 0;
  // Asked in the order of the text.
  return (offset) => {
    while ((spans[at]?.to ?? Number.POSITIVE_INFINITY) <= offset) at += 1;
    return (spans[at]?.from ?? Number.POSITIVE_INFINITY) <= offset;
  };
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
