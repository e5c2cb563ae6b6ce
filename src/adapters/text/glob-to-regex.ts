import { UserError } from "../../core/errors.ts";

/**
 * A glob as the source of a regular expression without look-around, so that RE2 can run it in linear time.
 *
 * The usual glob libraries compile to JavaScript's own expressions, which backtrack: `*a*a*a*a*a*a*b` keeps one busy for
 * minutes on a name of forty letters. Here are the parts of the syntax that plans use: `*`, `?`, `**`, `[abc]`,
 * `{a,b}` and backslash. A name that begins with a dot is a name like any other. What would be read differently from
 * tool to tool (negation, extended groups, ranges in braces) is refused instead of guessed.
 */
export function globToRegex(glob: string): string {
  refuseForeignSyntax(glob);
  let source = "";
  let depth = 0;
  let at = 0;
  while (at < glob.length) {
    const char = glob.charAt(at);
    if (char === "\\") {
      source += literal(glob.charAt(at + 1) || "\\");
      at += 2;
    } else if (char === "*") {
      const star = readStars(glob, at, depth > 0);
      source += star.source;
      at = star.end;
    } else if (char === "?") {
      source += "[^/]";
      at += 1;
    } else if (char === "[") {
      const set = readSet(glob, at);
      source += set.source;
      at = set.end;
    } else if (char === "{") {
      source += "(?:";
      depth += 1;
      at += 1;
    } else if (char === "}" && depth > 0) {
      source += ")";
      depth -= 1;
      at += 1;
    } else if (char === "," && depth > 0) {
      source += "|";
      at += 1;
    } else {
      const whole = String.fromCodePoint(glob.codePointAt(at) ?? 0);
      source += literal(whole);
      at += whole.length;
    }
  }
  if (depth > 0)
    throw malformed(glob, "a brace is never closed", "Close the brace, or write `\\{` for the character.");
  return source;
}

function readStars(glob: string, start: number, inBraces: boolean): { source: string; end: number } {
  let end = start;
  while (glob.charAt(end) === "*") end += 1;
  const before = glob.charAt(start - 1);
  const after = glob.charAt(end);
  const begins = before === "" || before === "/" || (inBraces && (before === "{" || before === ","));
  const ends = after === "" || after === "/" || (inBraces && (after === "}" || after === ","));
  if (!begins || !ends) return { source: "[^/]*", end };
  if (end - start === 1) return { source: "[^/]+", end };
  // Any number of whole folders, none included.
  return after === "/" ? { source: "(?:[^/]+/)*", end: end + 1 } : { source: ".+", end };
}

function readSet(glob: string, start: number): { source: string; end: number } {
  let at = start + 1;
  const negated = glob.charAt(at) === "!" || glob.charAt(at) === "^";
  if (negated) at += 1;
  const first = at;
  let body = "";
  for (;;) {
    const char = glob.charAt(at);
    if (char === "")
      throw malformed(
        glob,
        "a bracket is never closed",
        "Close the bracket, or write `\\[` for the character.",
      );
    // A bracket that comes first is a member of the set.
    if (char === "]" && at > first) break;
    const named = /^\[:\^?[a-z]+:\]/.exec(glob.slice(at, at + 16))?.[0];
    if (named) {
      body += named;
      at += named.length;
    } else if (char === "\\") {
      body += literal(glob.charAt(at + 1) || "\\");
      at += 2;
    } else {
      body +=
        char === "[" || char === "]" || char === "^" || char === "&" || char === "~" ? `\\${char}` : char;
      at += 1;
    }
  }
  return { source: negated ? `[^/${body}]` : `[${body}]`, end: at + 1 };
}

function refuseForeignSyntax(glob: string): void {
  const bare = glob.replaceAll(/\\./gs, "");
  if (bare.startsWith("!"))
    throw malformed(glob, "it begins with `!`", "Name the files that are meant, not those that are not.");
  const extended = /[@+!?*]\([^)]*\)/.exec(bare)?.[0];
  if (extended)
    throw malformed(glob, `\`${extended}\` is an extended group`, "Write alternatives as `{one,other}`.");
  const range = /\{[^{},]*\.\.[^{},]*\}/.exec(bare)?.[0];
  if (range) throw malformed(glob, `\`${range}\` is a range`, "Write every member, such as `{1,2,3}`.");
}

function malformed(glob: string, why: string, next: string): UserError {
  return new UserError(`The file pattern \`${glob}\` can't be read: ${why}.`, { next });
}

function literal(char: string): string {
  return /[\\^$.|?*+()[\]{}&~-]/.test(char) ? `\\${char}` : char;
}
