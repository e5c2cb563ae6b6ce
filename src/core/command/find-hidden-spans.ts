/**
 * The parts of a paragraph that Markdown shows as code or not at all: code spans, comments, processing instructions,
 * declarations, tags with their attributes, the address, title and label of a link, the words in place of a picture, and
 * formulas. All of them may go over several lines. Whichever begins first wins. What is never closed counts up to the
 * end: a command that is passed over can be given again, one that nobody saw can't be taken back. Linear: every end is
 * looked up, none is searched for twice.
 */
export function findHiddenSpans(paragraph: string): (offset: number) => boolean {
  const spans: { readonly from: number; readonly to: number }[] = definitions(paragraph);
  const runs = backtickRuns(paragraph);
  const next = new RegExp(OPENING, "gi");
  next.lastIndex = spans[0]?.to ?? 0;
  for (let match = next.exec(paragraph); match; match = next.exec(paragraph)) {
    const from = match.index;
    const mark = match[0];
    if (mark.startsWith("\\")) continue;
    const to = mark.startsWith("`")
      ? runs.endAfter(mark.length, from + mark.length)
      : endOf(paragraph, mark, from + mark.length);
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

/** A backslash takes the meaning from what follows it; `<https://` and `<mail@` are addresses that show. */
const OPENING = /\\[\s\S]|`+|<!--|<\?|<!\[CDATA\[|<![a-z]|<\/?[a-z][a-z0-9-]*(?=[\s/>])|\]\(|\]\[|!\[|\$\$/gi;

const LEAD = String.raw`^(?:\s|[-*+](?=\s)|\d{1,9}[.)](?=\s))*`;
const LABEL = String.raw`\[(?:[^[\]\\]|\\[\s\S]){1,999}\]:`;
/** `[^1]: words` or `[name]: address "title"`, which shows only where something refers to it, and then elsewhere. */
const DEFINITION = new RegExp(
  String.raw`${LEAD}(?:\[\^[^\]\s]+\]:|${LABEL}\s*(?:<[^<>\n]*>|[^\s<]\S*)(?:[ \t]*(?:\n|$)|\s+["'(]))`,
);

/** It can't begin inside of a paragraph, and where it ends is for Markdown to know; so all of the paragraph is hidden. */
function definitions(paragraph: string): { from: number; to: number }[] {
  return DEFINITION.test(paragraph) ? [{ from: 0, to: paragraph.length }] : [];
}

/** Where what `mark` began is over. */
function endOf(text: string, mark: string, after: number): number {
  switch (mark.toUpperCase()) {
    case "<!--":
      return behind(text, "-->", after);
    case "<?":
      return behind(text, "?>", after);
    case "<![CDATA[":
      return behind(text, "]]>", after);
    case "$$":
      return behind(text, "$$", after);
    case "](":
      return closedBy(text, after, "(", ")");
    case "][":
    case "![":
      // The mark that closes it may begin the address.
      return closedBy(text, after, "[", "]") - 1;
    default:
      return mark.startsWith("<!") ? behind(text, ">", after) : endOfTag(text, after);
  }
}

function behind(text: string, end: string, after: number): number {
  const at = text.indexOf(end, after);
  return at === -1 ? text.length : at + end.length;
}

/** The bracket that belongs to the one before `after`; brackets in a title between quotes are none. */
function closedBy(text: string, after: number, open: string, close: string): number {
  let depth = 1;
  for (let at = after; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === "\\") at += 1;
    else if (open === "(" && /["']/.test(char) && /\s/.test(text.charAt(at - 1)))
      at = behind(text, char, at + 1) - 1;
    else if (char === open) depth += 1;
    else if (char === close) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return text.length + 1;
}

/** A `>` in the value of an attribute does not end its tag; one `<` more shows that it was no tag. */
function endOfTag(text: string, after: number): number {
  for (let at = after; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === ">") return at + 1;
    if (char === "<") return at;
    if ((char === '"' || char === "'") && /=\s{0,9}$/.test(text.slice(Math.max(after, at - 10), at)))
      at = behind(text, char, at + 1) - 1;
  }
  return text.length;
}

/** Whether an HTML block ends inside of a tag: then a browser takes all that follows for a part of it. */
export function endsInTag(block: string): boolean {
  const next = new RegExp(OPENING, "gi");
  for (let match = next.exec(block); match; match = next.exec(block)) {
    if (!/^<\/?[a-z]/i.test(match[0])) continue;
    next.lastIndex = endOfTag(block, match.index + match[0].length);
    if (next.lastIndex === block.length && !block.endsWith(">")) return true;
  }
  return false;
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
