import { isRecord, readLooseYaml } from "../session/read-loose-yaml.ts";
import { table } from "../table.ts";

/**
 * A block of findings that is no YAML, read by its keys instead of its indentation. Models break YAML in few ways: a
 * value that begins with a backtick or holds a colon, text that slips out of its block, tabs. The form is flat and its
 * keys are known, so that each line either begins with one of them or goes on with the value above.
 */
type Entry = Record<string, unknown>;

const LISTS = ["findings", "earlier"] as const;
const TEXTS = new Set(["title", "body", "suggestion"]);
const KEY =
  /^([ \t]{0,80})(- {0,20})?(["']?)(loom_findings|summary|findings|earlier|id|severity|title|file|path|line|end_line|body|suggestion|state)["']?[ \t]{0,20}:(?:[ \t](.*))?$/;
/** `- {id: F1, state: fixed}` */
const FLOW_ITEM = /^[ \t]{0,80}- {0,20}(\{.*\})[ \t]*,?$/;

/** Brackets of JSON and of lists in one line. */
const BRACKETS = /^[\s[\]{},]*$/;
const NOTHING = /^[ \t]*(?:null|~)?[ \t]*(?:#.*)?$/;

/** null: it is not in this form either, or something stands there that may be findings and can't be read. */
export function salvageFindings(text: string): unknown {
  const found: { summary?: string; findings: unknown[]; earlier: unknown[] } = { findings: [], earlier: [] };
  let list: (typeof LISTS)[number] | null = null;
  let item: Entry | null = null;
  let seen = false;
  /** Findings are to stand in the lines that follow. */
  let isAwaited = false;
  let isLost = false;
  /** The value that is being read, and how deep its key stands. */
  let value: {
    readonly indent: number;
    readonly lines: string[];
    readonly put: (text: string) => void;
  } | null = null;
  const finish = (): void => {
    if (value) value.put(readText(value.lines));
    value = null;
  };
  for (const raw of text.split("\n")) {
    const line = raw.replace(/^[ \t]+/, (space) => space.replaceAll("\t", "  "));
    const flow = list === null ? null : FLOW_ITEM.exec(line);
    const [matched, space = "", dash = "", quote = "", key = "", written = ""] = KEY.exec(line) ?? [];
    // Behind a key in quotes there is JSON.
    const rest = quote === "" ? written : written.replace(/,[ \t]*$/, "");
    const indent = space.length + dash.length;
    const open: { readonly indent: number; readonly lines: string[] } | null = value;
    if (open && (matched === undefined || indent > open.indent) && !(flow && indentOf(line) <= open.indent)) {
      open.lines.push(line);
      continue;
    }
    if (flow && list) {
      finish();
      item = null;
      const read = readLooseYaml(flow[1] ?? "");
      // One that says nothing is counted.
      found[list].push(isRecord(read) ? read : {});
      continue;
    }
    if (matched === undefined) {
      isLost ||= isAwaited && !BRACKETS.test(line);
      continue;
    }
    finish();
    if (key === "loom_findings") continue;
    if (key === "findings" || key === "earlier") {
      seen ||= key === "findings";
      list = key;
      item = null;
      const inline = readLooseYaml(rest);
      if (Array.isArray(inline)) for (const one of inline) found[key].push(one);
      isAwaited = key === "findings" && !Array.isArray(inline);
      isLost ||= isAwaited && !NOTHING.test(rest) && !BRACKETS.test(rest);
      continue;
    }
    if (key === "summary" && dash === "") {
      value = {
        indent,
        lines: [rest],
        put: (read) => {
          found.summary = read;
        },
      };
      continue;
    }
    if (list === null) continue;
    if (dash !== "" || item === null || Object.hasOwn(item, key)) {
      item = table();
      found[list].push(item);
    }
    const target: Entry = item;
    // A word goes on nowhere; a text may.
    target[key] = TEXTS.has(key) ? "" : readText([rest]);
    if (!TEXTS.has(key)) continue;
    value = {
      indent,
      lines: [rest],
      put: (read) => {
        target[key] = read;
      },
    };
  }
  finish();
  return seen && !(isLost && found.findings.length === 0) ? found : null;
}

/** What stands behind the key and below it: `|` and lines, words in quotes, or just words. */
function readText([first = "", ...rest]: readonly string[]): string {
  const head = first.trim();
  if (/^[|>][+-]?\d?[+-]?$/.test(head)) return dedent(rest);
  const joined = [head, ...rest.map((line) => line.trim())].join("\n").trim();
  const quoted = withoutTail(joined);
  if (quoted === null) return joined === "null" || joined === "~" ? "" : joined;
  const read = readLooseYaml(quoted) ?? readLooseYaml(withQuotesFixed(quoted));
  return typeof read === "string" ? read : quoted.slice(1, -1);
}

/** Words in quotes, without what may follow them in JSON; null: they are in none. */
function withoutTail(text: string): string | null {
  let end = text.length;
  while (end > 0 && BRACKETS.test(text.charAt(end - 1))) end -= 1;
  const quote = text.charAt(0);
  return /["']/.test(quote) && end > 1 && text.charAt(end - 1) === quote ? text.slice(0, end) : null;
}

/** `"He writes "raw" SQL."` */
function withQuotesFixed(quoted: string): string {
  const isMeant = quoted.startsWith('"') && !quoted.includes("\n");
  return isMeant ? `"${quoted.slice(1, -1).replace(/\\?"/g, '\\"')}"` : quoted;
}

function dedent(lines: readonly string[]): string {
  const filled = lines.filter((line) => line.trim() !== "");
  const least = filled.reduce((most, line) => Math.min(most, indentOf(line)), 1_000);
  return lines
    .map((line) => line.slice(Math.min(least, indentOf(line))))
    .join("\n")
    .trimEnd();
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
