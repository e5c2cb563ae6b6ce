// What may stand before the number stays within its line: over lines, a comment of nothing but line ends would be read from
// each of them to the last.
const NUMBERED =
  /^[ \t\u00a0>]*(?:[-*+][ \t]+)?\**(?:q(?:uestion)?\s{0,3}|#)?\d{1,2}\s{0,3}(?:[.:)=-]|[a-z](?![a-z]))/im;
const LETTERS = /^\s*(?:option\s{1,3})?\(?[a-z][).]?(?:[\s,]+\(?[a-z][).]?){0,8}\s*$/i;
const LONGEST = 20_000;
/** An option says what it is in a few words, and so does whoever repeats them. */
const SHORT = 100;

/**
 * Whether a comment could answer the planner's questions: in numbers or letters, or in a line that could be the words of an
 * option. Asked at the intake, where nothing is known of questions: a comment that passes is looked at once they are, and
 * most of them are no answers.
 */
export function mayAnswer(body: string): boolean {
  if (body.length > LONGEST) return false;
  return NUMBERED.test(body) || /\bdefaults?\b/i.test(body) || LETTERS.test(body) || isShortLine(body);
}

/** Besides what is quoted. */
function isShortLine(body: string): boolean {
  const lines = body.split("\n").filter((line) => !/^\s*(?:>|$)/.test(line));
  const [line = ""] = lines;
  return lines.length === 1 && line.trim().length <= SHORT && !line.trimStart().startsWith("/");
}
