export type CommentSyntax = {
  readonly line: readonly string[];
  readonly block: readonly (readonly [open: string, close: string])[];
  /** What opens and closes a text on one line. */
  readonly quotes: string;
  /** What opens and closes a text over several lines. */
  readonly longQuotes: readonly string[];
  /** A long text that begins a line is documentation (Python). */
  readonly docStrings: boolean;
};

/**
 * Code apart from comments, in one pass. It knows just enough not to take the `//` of an address in a text for a
 * comment; where it errs (a quote inside a regular expression), the rest of that line counts as code.
 */
export function separateComments(text: string, syntax: CommentSyntax): { code: string; comments: string[] } {
  const comments: string[] = [];
  let code = "";
  let at = 0;
  let lineIsBlank = true;
  const marks = [
    ...syntax.line,
    ...syntax.block.map(([open]) => open),
    ...syntax.quotes,
    ...syntax.longQuotes,
  ];
  const firsts = new Set(marks.map((mark) => mark.charAt(0)));

  const skipTo = (end: number) => {
    code += text.slice(at, end);
    lineIsBlank = false;
    at = end;
  };
  while (at < text.length) {
    const char = text.charAt(at);
    if (!firsts.has(char)) {
      code += char;
      if (char === "\n") lineIsBlank = true;
      else if (char.trim() !== "") lineIsBlank = false;
      at += 1;
      continue;
    }
    const long = syntax.longQuotes.find((one) => text.startsWith(one, at));
    const block = syntax.block.find(([open]) => text.startsWith(open, at));
    const line = syntax.line.find((one) => text.startsWith(one, at) && mayBegin(one, text, at));
    if (long !== undefined) {
      const end = endOf(text, long, at + long.length);
      if (syntax.docStrings && lineIsBlank) {
        comments.push(text.slice(at, end));
        at = end;
      } else skipTo(end);
    } else if (block) {
      const end = endOf(text, block[1], at + block[0].length);
      comments.push(text.slice(at, end));
      code += " ";
      at = end;
    } else if (line !== undefined) {
      const end = text.indexOf("\n", at);
      comments.push(text.slice(at, end < 0 ? text.length : end));
      at = end < 0 ? text.length : end;
    } else if (syntax.quotes.includes(char)) {
      skipTo(endOfQuoted(text, char, at + 1));
    } else {
      skipTo(at + 1);
    }
  }
  return { code, comments };
}

/** `${#list}` and `a#b` hold no comment, and `/// <reference` is an instruction to TypeScript. */
function mayBegin(mark: string, text: string, at: number): boolean {
  if (mark === "//") return !text.startsWith("/// <", at);
  return mark !== "#" || at === 0 || /\s/.test(text.charAt(at - 1));
}

function endOf(text: string, close: string, from: number): number {
  const end = text.indexOf(close, from);
  return end < 0 ? text.length : end + close.length;
}

function endOfQuoted(text: string, quote: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === "\\") at += 1;
    else if (char === "\n") return at;
    else if (char === quote) return at + 1;
  }
  return text.length;
}
