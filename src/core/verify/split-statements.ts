/** A piece of code, and the mark behind it. */
export type Statement = {
  readonly text: string;
  readonly end: "{" | "}" | ";" | "\n" | "";
};

/**
 * Cuts code without comments into statements: at braces, semicolons and line ends, but never inside parentheses or
 * brackets, so that a signature over five lines is one statement. Python's `def f(): pass` is two.
 */
export function splitStatements(code: string, style: "braces" | "lines"): Statement[] {
  const statements: Statement[] = [];
  let text = "";
  let depth = 0;
  const push = (end: Statement["end"]) => {
    if (text.trim() !== "") statements.push({ text: text.trim(), end });
    text = "";
  };
  for (const char of code) {
    if (char === "(" || char === "[") depth += 1;
    if (char === ")" || char === "]") depth = Math.max(0, depth - 1);
    const isBrace = style === "braces" && (char === "{" || char === "}");
    if (depth === 0 && (isBrace || char === ";" || char === "\n")) push(char as Statement["end"]);
    else text += char;
  }
  push("");
  return style === "lines" ? statements.flatMap(splitOneLiner) : statements;
}

function splitOneLiner(statement: Statement): Statement[] {
  const match = /^((?:async\s+)?def\s.*\)[^:]*:|class\s[^:]*:)\s*(\S.*)$/s.exec(statement.text.slice(0, 400));
  if (!match?.[1] || !match[2]) return [statement];
  return [
    { text: match[1], end: "\n" },
    { text: match[2], end: statement.end },
  ];
}
