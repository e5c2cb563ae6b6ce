/** What a slash may follow when it begins a regular expression, and not a division. */
const BEFORE_PATTERN = /(?:^|[([{},;:=!&|?+\n]|=>|\breturn)\s*$/;

/**
 * Only the text of the string literals of a TypeScript file, each on its own line: comments, code, regular expressions and
 * what stands in `${…}` become spaces.
 */
export function keepLiterals(code: string): string {
  let kept = "";
  let at = 0;
  const blank = (end: number): void => {
    kept += code.slice(at, end).replace(/[^\n]/g, " ");
    at = end;
  };
  const keep = (end: number): void => {
    kept += code.slice(at, end);
    at = end;
  };
  /** Up to the closing quote, or to the `${` of a template. */
  const readText = (quote: string): boolean => {
    let end = at;
    while (end < code.length && code[end] !== quote && !(quote === "`" && code.startsWith("${", end)))
      end += code[end] === "\\" ? 2 : 1;
    keep(Math.min(end, code.length));
    const opens = code[at] === "$";
    blank(Math.min(at + (opens ? 2 : 1), code.length));
    return opens;
  };
  /** For each open template the braces that are open in its `${…}`. */
  const templates: number[] = [];
  while (at < code.length) {
    const rest = code.slice(at, at + 2);
    const char = rest.charAt(0);
    const inner = templates.length - 1;
    if (rest === "//") blank(endOf(code, "\n", at));
    else if (rest === "/*") blank(endOf(code, "*/", at) + 2);
    else if (char === "/" && BEFORE_PATTERN.test(code.slice(Math.max(0, at - 20), at)))
      blank(endOfPattern(code, at));
    else if (char === '"' || char === "'") {
      blank(at + 1);
      readText(char);
    } else if (char === "`") {
      blank(at + 1);
      if (readText(char)) templates.push(0);
    } else if (char === "}" && templates[inner] === 0) {
      blank(at + 1);
      if (!readText("`")) templates.pop();
    } else {
      if (inner >= 0 && char === "{") templates[inner] = (templates[inner] ?? 0) + 1;
      if (inner >= 0 && char === "}") templates[inner] = (templates[inner] ?? 0) - 1;
      blank(at + 1);
    }
  }
  return kept;
}

function endOf(code: string, mark: string, from: number): number {
  const end = code.indexOf(mark, from + 1);
  return end === -1 ? code.length : end;
}

function endOfPattern(code: string, from: number): number {
  let inClass = false;
  for (let at = from + 1; at < code.length; at += code[at] === "\\" ? 2 : 1) {
    if (code[at] === "[") inClass = true;
    if (code[at] === "]") inClass = false;
    if (code[at] === "\n" || (code[at] === "/" && !inClass)) return at + 1;
  }
  return code.length;
}
