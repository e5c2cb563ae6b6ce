import { quote } from "../text/quote.ts";
import { type CommentSyntax, separateComments } from "./separate-comments.ts";
import { extensionOf, sourceLanguage } from "./source-language.ts";
import { type Statement, splitStatements } from "./split-statements.ts";

/**
 * Tells a file that only stands in for work from the work itself, by what is left of it once comments, imports,
 * declarations and braces are taken away:
 *
 * - nothing, and there was no declaration either: it holds only comments;
 * - nothing besides functions without a body, or besides empty returns next to a comment such as "TODO": a stub;
 * - at least as many placeholders (`todo!()`, `raise NotImplementedError`, …) as real statements: a stub;
 * - anything else is real, TODO comments or not.
 *
 * A wrong alarm stops a run that is fine, a missed stub is caught by the checks that run the code; so every doubt
 * counts for the file. Abstract classes, typing stubs and marker files are left alone.
 */
export function findStub(path: string, text: string): string | null {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (MEANT_EMPTY.has(name)) return null;
  if (text.trim() === "") return "is empty";
  if (text.includes("\0")) return null;
  switch (extensionOf(path)) {
    case "json":
      return stubInJson(text);
    case "md":
    case "mdx":
    case "markdown":
      return stubInProse(text);
    default:
      return stubInCode(path, text) ?? (isPlaceholderLine(text.trim()) ? "is a placeholder" : null);
  }
}

const MEANT_EMPTY = new Set(["__init__.py", "py.typed", ".gitkeep", ".keep", ".nojekyll"]);
const PROSE: CommentSyntax = {
  line: [],
  block: [["<!--", "-->"]],
  quotes: "",
  longQuotes: [],
  docStrings: false,
};
const TOO_MUCH_FOR_A_STUB = 20_000;
const ABSTRACT =
  /\babstract|\b[Ss]ubclass|\boverridden\b|\bABC\b|\bProtocol\b|\bclass\s+(?:Abstract|Base|\w+(?:Base|Interface|Mixin)\b)/;
/** "todo" in small letters is also what many programs are about. */
const SAYS_UNDONE =
  /\bTODO\b|\bFIXME\b|\b[Nn]ot (?:yet )?implemented\b|\bNOT IMPLEMENTED\b|\b[Ii]mplement me\b/;
const COMMENT_SAYS_UNDONE =
  /\bTODO\b|\bFIXME\b|\bXXX\b|\b(?:stub|placeholder|not (?:yet )?implemented|implement me|to be implemented|(?:implementation|your code|logic) (?:goes )?here)\b/i;

function stubInCode(path: string, text: string): string | null {
  const language = sourceLanguage(path);
  if (!language) return null;
  const { code, comments } = separateComments(text, language.comments);
  if (code.length > TOO_MUCH_FOR_A_STUB) return null;
  if (code.trim() === "") return "holds only comments";
  if (ABSTRACT.test(code)) return null;

  const statements = splitStatements(withoutImportsAndExports(code), language.style);
  const kinds = statements.map((one, index) => kindOf(one, statements[index - 1], language.style));
  const count = (kind: Kind) => kinds.filter((one) => one === kind).length;
  const placeholder = statements[kinds.indexOf("placeholder")];
  if (placeholder && count("placeholder") >= count("real"))
    return `holds hardly more than ${quote(placeholder.text)} (line ${lineOf(text, placeholder.text)})`;
  if (count("real") > 0) return null;
  const remark = comments.find((one) => COMMENT_SAYS_UNDONE.test(one.slice(0, 2000)));
  if (remark !== undefined) return `holds hardly more than ${quote(remark)} (line ${lineOf(text, remark)})`;
  return count("function") > 0 && count("trivial") === 0 ? "holds only functions without a body" : null;
}

type Kind = "real" | "placeholder" | "trivial" | "function" | "frame";

const CONTROL =
  /^(?:\}?\s*)?(?:if|else|for|while|do|switch|match|loop|try|catch|finally|case|when|with|select)\b/;
const TYPE_HEADER =
  /\b(?:class|interface|struct|enum|trait|impl|namespace|module|mod|extern|object|record|protocol)\b/;
const FUNCTION_LINE = /^(?:async\s+)?def\s|^function\s|^[\w-]+\s*\(\)\s*\{$/;
const FRAME =
  /^(?:import\b.*\bfrom\b|import\s+[\w(*.]|from\s.*\bimport\b|use\s|using\s|package\s|namespace\s|(?:const|let|var)\s.{0,80}=\s*require\(|#\s*(?:include|pragma|ifndef|define|endif)|#\[|#!|@\w|<\?php|["']use \w+["']$|set\s+[-+]|if __name__ ==|[^\p{L}\p{N}"'`]*$|(?:end|fi|done|esac|then|do)$)/su;
const TRIVIAL =
  /^(?:return|:|true|exit 0|None|Ok\(\(\)\)|(?:return|=>)\s*(?:null|undefined|None|nil|false|true|0|-1|""|''|\[\]|\{\}|Ok\(\(\)\)|Promise\.resolve\(\)))$/;
const PLACEHOLDERS = [
  /\b(?:todo|unimplemented)!\s*[([]/,
  /\braise\s+NotImplementedError\b/,
  /\bthrow\s+(?:new\s+)?\w*NotImplemented\w*\s*\(/,
  /^(?:return\s+)?TODO\(/,
  /^\?\?\?$/,
];
/** What throws, returns or prints the text behind it. */
const SAYING =
  /^(?:return\b|throw\b|raise\b|panic!?\s*\(|fatalError\(|die\b|abort\b|bail!|Err\(|error\(|console\.\w+\(|print(?:ln|f)?!?\b|fmt\.\w+\(|echo\b|puts\b|log(?:ger)?\.\w+\()/;

function kindOf(statement: Statement, before: Statement | undefined, style: "braces" | "lines"): Kind {
  const text = statement.text.slice(0, 400);
  if (PLACEHOLDERS.some((one) => one.test(text)) || (SAYING.test(text) && SAYS_UNDONE.test(text)))
    return "placeholder";
  if (style === "lines") {
    // `class Missing(Exception): pass` is all there is to say; `def login(): pass` is not.
    if (text === "pass" || text === "...")
      return FUNCTION_LINE.test(before?.text ?? "") ? "placeholder" : "real";
    if (FUNCTION_LINE.test(text)) return "function";
    if (/^(?:class|module)\s/.test(text)) return "frame";
  }
  if (FRAME.test(text)) return "frame";
  if (TRIVIAL.test(text)) return "trivial";
  if (statement.end !== "{" || CONTROL.test(text)) return "real";
  if (/\)[^=)]*$|=>$/.test(text) && !/=\s*$/.test(text)) return "function";
  return TYPE_HEADER.test(text) || !text.includes("=") ? "frame" : "real";
}

/** Naming what a file takes and offers adds nothing to it. */
function withoutImportsAndExports(code: string): string {
  return code
    .replaceAll(/\bimport\b[\w*\s,]{0,200}\{[\w\s,]*\}\s*from\b[^;\n]*/g, "")
    .replaceAll(/\b(?:const|let|var)\s*\{[\w\s,:]*\}\s*=\s*require\b[^;\n]*/g, "")
    .replaceAll(/\buse\s[\w:\s]{0,200}\{[\w\s,:*]*\}/g, "")
    .replaceAll(/\bexport\s*\{[\w\s,]*\}(?!\s*from)/g, "")
    .replaceAll(/\bexport\s+default\s+\w+\s*(?=;|\n|$)/g, "")
    .replaceAll(/\b(?:module\.)?exports\s*=\s*(?:\w+|\{[\w\s,]*\})\s*(?=;|\n|$)/g, "");
}

function stubInProse(text: string): string | null {
  const { code: prose } = separateComments(text, PROSE);
  if (prose.length > TOO_MUCH_FOR_A_STUB) return null;
  const lines = prose
    .replace(/^---\n.*?\n---\n/s, "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !/^[-=*_]{3,}$/.test(line));
  if (lines.length === 0) return text.startsWith("---\n") ? null : "holds only comments";
  const body = lines.filter((line) => !/^#{1,6}\s/.test(line));
  if (body.length === 0) return "has headings and no text";
  return body.every(isPlaceholderLine) ? `holds hardly more than ${quote(body[0] ?? "")}` : null;
}

function stubInJson(text: string): string | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const pending: unknown[] = [value];
  let example: string | null = null;
  while (pending.length > 0) {
    const one = pending.pop();
    if (typeof one === "string" && isPlaceholderLine(one.trim())) example ??= one;
    else if (typeof one === "object" && one !== null)
      for (const part of Object.values(one)) pending.push(part);
    else return null;
  }
  return example === null ? null : `holds hardly more than ${quote(example)}`;
}

function isPlaceholderLine(line: string): boolean {
  const bare = line.slice(0, 300).replace(/^[-*+>\s\d.[\]_`]+/, "");
  return (
    /^(?:TODO|TBD|FIXME|WIP|tbd|to be (?:written|done|added|defined)|coming soon|placeholder|lorem ipsum\b.*)[\s.!…_*`]*$/i.test(
      bare,
    ) || /^(?:TODO|TBD|FIXME)\b\s*[:(-].{0,120}$/.test(bare)
  );
}

function lineOf(text: string, part: string): number {
  const at = text.indexOf(part.split("\n", 1)[0] ?? part);
  return at < 0 ? 1 : text.slice(0, at).split("\n").length;
}
