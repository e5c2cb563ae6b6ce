import type { LineRange } from "../../markdown/scan-markdown.ts";
import { table } from "../../table.ts";
import type { TextLines } from "../../text/text-lines.ts";
import { composeYaml, type Fault } from "../compose-yaml.ts";
import type { Problem } from "../problem.ts";
import { readValues } from "../yaml-values.ts";

export type Path = readonly (string | number)[];

export type YamlSource = {
  readonly value: unknown;
  /** Counted from 1 in the whole file. */
  lineOf(path: Path): number;
};

/** The source is null when the text is no YAML; with problems besides a source, it is, but must not be used. */
export type ReadYaml = { readonly source: YamlSource | null; readonly problems: readonly Problem[] };

export function readYaml(lines: TextLines, range: LineRange): ReadYaml {
  const start = lines.start(range.from);
  const lineAt = (offset: number): number => lines.lineAt(start + offset) + 1;
  const { contents, faults } = composeYaml(lines.text.slice(start, lines.start(range.to)));
  const unreadable = faults.filter(({ code }) => code !== "TAG_RESOLVE_FAILED");
  const tags = faults.filter(({ code }) => code === "TAG_RESOLVE_FAILED");
  const tell = (fault: Fault): Problem => toProblem(fault, lineAt(fault.offset));
  if (unreadable.length > 0) return { source: null, problems: faults.map(tell) };
  const { value, faults: misuse, offsetOf } = readValues(contents);
  return {
    source: { value, lineOf: (path) => lineAt(offsetOf(path)) },
    problems: [...tags, ...misuse].map(tell),
  };
}

const FIXES: Readonly<Record<string, string>> = table({
  BAD_ALIAS: "Give the part a name with `&name` before it is used as `*name`, or write it out.",
  BAD_DQ_ESCAPE: "Write the backslash twice, or use single quotes.",
  BAD_INDENT: "Indent it like its neighbours, with spaces; close every bracket.",
  BAD_KEY: "Write keys as plain words, such as `name:`.",
  BAD_MERGE: "Write `<<: *name`, where `&name` marks a mapping.",
  BAD_SCALAR_START: "Put the text in quotes.",
  BLOCK_AS_IMPLICIT_KEY: "Put a text that holds `: ` in quotes, or begin a new line behind the colon.",
  DUPLICATE_KEY: "Keep one of them.",
  MISSING_CHAR: "Close every quote and bracket, and put a colon with a space behind each key.",
  MULTILINE_IMPLICIT_KEY: "Check the indentation, and put a text that holds `: ` in quotes.",
  MULTIPLE_DOCS: "Keep one document: remove the `---` and what follows.",
  TAB_AS_INDENT: "Indent with spaces.",
  TAG_RESOLVE_FAILED: "Remove the tag.",
  TOO_DEEP: "A few levels are enough.",
  TOO_LONG: "Split the plan.",
  TOO_MANY_ALIASES: "Write out what is needed, without aliases of aliases.",
  UNEXPECTED_TOKEN: "Put the text in quotes, or check what stands before it.",
  ZERO: "Remove the zero character.",
});

function toProblem({ code, message }: Fault, line: number): Problem {
  return {
    severity: "error",
    path: "",
    line,
    message: `The YAML can't be used here: ${lowerFirst(message)}.`,
    fix: FIXES[code] ?? "Compare the line with its neighbours: indentation, quotes and colons.",
  };
}

function lowerFirst(text: string): string {
  const plain = text.replace(/\.$/, "");
  return /^[A-Z][a-z]/.test(plain) ? plain.charAt(0).toLowerCase() + plain.slice(1) : plain;
}
