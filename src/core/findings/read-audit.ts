import { type Fence, scanMarkdown } from "../markdown/scan-markdown.ts";
import { composeYaml } from "../plan/compose-yaml.ts";
import { isRecord, listOf, readLooseYaml, wordOf } from "../session/read-loose-yaml.ts";
import type { AuditResult } from "../task/task-events.ts";
import { shortLine, shortText } from "../text/cut-text.ts";
import { plainLines } from "../text/escape-text.ts";
import { splitLines, type TextLines } from "../text/text-lines.ts";
import { type EarlierFindings, NO_FINDINGS, shownOf } from "./earlier-finding.ts";
import { nameFindings, type UnnamedFinding } from "./name-findings.ts";
import { createPassedOver, MAX_FINDINGS, type PassedOver } from "./passed-over.ts";
import { readFinding, type Tree } from "./read-finding.ts";
import { salvageFindings } from "./salvage-findings.ts";
import { gravity, readSeverity } from "./severity.ts";

/**
 * What an agent that audits ends with. Its block is read as kindly as possible, because asking again costs a turn; but
 * whatever was cut, guessed or passed over is said in `notes`, so that nobody takes half an answer for the whole.
 */
export type AuditReading =
  | { readonly kind: "read"; readonly result: AuditResult }
  /** `problem` is a sentence for the agent. */
  | { readonly kind: "unreadable"; readonly problem: string };

const TEXT_CHARS = 300_000;
const BLOCK_CHARS = 200_000;
const SUMMARY_CHARS = 2_000;
const MAX_READ = 2_000;

const FORM =
  "End with one fenced block of YAML that begins with `loom_findings:`, in the form that you were given.";

/** What the agent's words are read against. */
export type AuditContext = {
  readonly earlier?: EarlierFindings;
  /** Where the agent saw the files, and which there are; null: nobody knows. */
  readonly tree?: Tree | null;
};

export function readAudit(text: string, context: AuditContext = {}): AuditReading {
  const said = text.slice(-TEXT_CHARS).replace(/\r\n?/g, "\n");
  const exact = readText(said, context, true);
  const plain = plainLines(said);
  // Colours of a terminal, say, around the keys.
  return exact.kind === "read" || plain === said ? exact : readText(plain, context, false);
}

function readText(text: string, { earlier, tree = null }: AuditContext, isExact: boolean): AuditReading {
  const block = findBlock(text);
  if (block === null) return unreadable(`Your last message has no \`loom_findings\` block. ${FORM}`);
  if (block.length > BLOCK_CHARS) {
    return unreadable(
      `Your \`loom_findings\` block is longer than ${BLOCK_CHARS} characters. Keep the most severe findings and shorten their texts.`,
    );
  }
  const passed = createPassedOver();
  const strict = unwrap(readLooseYaml(block));
  if (strict === null) passed.count("form");
  const value = strict ?? unwrap(salvageFindings(block));
  if (value === null) return unreadable(`${describeFault(block)} ${FORM}`);
  if (value.findings === undefined && !EMPTY.test(block)) {
    return unreadable(
      "Your `loom_findings` block has no `findings`. If you found nothing, write `findings: []`.",
    );
  }
  const entries = entriesOf(value.findings);
  const found = entries
    .slice(0, MAX_READ)
    .flatMap((one) => readFinding(one, passed, { tree, isExact }) ?? []);
  // What can't be read is not nothing: people would take it for a clean bill.
  if (found.length === 0 && entries.length > 0) {
    return unreadable(
      `None of the entries under \`findings\` can be read: each needs a \`severity\`, a \`title\` and a \`body\`. ${FORM}`,
    );
  }
  passed.count("most", Math.max(0, found.length - MAX_FINDINGS) + Math.max(0, entries.length - MAX_READ));
  return {
    kind: "read",
    result: readResult(value, found, { earlier: earlier ?? NO_FINDINGS, tree }, passed),
  };
}

/** A key with nothing behind it is left out of what is read. */
const EMPTY = /(?:^[ \t]*|[{,][ \t]*)["']?findings["']?[ \t]*:[ \t]*(?:null|~)?[ \t]*(?:[,}#]|$)/m;

/** Said in the place of a list. */
const NONE = /^(?:none|nothing|no (?:findings|issues|problems)|n\/a)(?: (?:were )?found)?[.!]?$/i;

/** A list, or lists under the words for how grave they are. */
function entriesOf(value: unknown): readonly unknown[] {
  if (typeof value === "string" && NONE.test(value.trim())) return [];
  if (!isRecord(value) || !Object.keys(value).every((key) => readSeverity(key) !== null))
    return listOf(value);
  return Object.entries(value).flatMap(([severity, list]) =>
    listOf(list).map((one) => (isRecord(one) ? { severity, ...one } : { severity, title: one })),
  );
}

/** The last one counts: an agent may show an example before. */
function findBlock(text: string): string | null {
  const lines = splitLines(text);
  const blocks = scanMarkdown(lines)
    .fences.filter(({ info }) => /^(?:\{?\.?(?:ya?ml|json[c5]?)\b.*|loom[_-]findings|)$/i.test(info))
    .map((fence) => contentOf(lines, fence));
  const named = blocks.findLast((block) => block.includes("loom_findings"));
  if (named !== undefined) return named;
  const bare = text.lastIndexOf("\nloom_findings:");
  if (bare !== -1) return text.slice(bare + 1);
  if (text.startsWith("loom_findings:")) return text;
  const whole = text.trim();
  if (whole.startsWith("{") && whole.includes("findings")) return whole;
  return blocks.findLast((block) => /(?:^|\n)[ \t]{0,8}["']?findings["']?[ \t]*:/.test(block)) ?? null;
}

function contentOf(lines: TextLines, { content }: Fence): string {
  return lines.text.slice(lines.start(content.from), lines.start(content.to));
}

/** The outermost key may be missing, and so may all but the list. */
function unwrap(value: unknown): Readonly<Record<string, unknown>> | null {
  if (Array.isArray(value)) return value.every(isRecord) ? { findings: value } : null;
  if (!isRecord(value)) return null;
  const inner = value.loom_findings;
  if (Array.isArray(inner)) return { ...value, findings: inner };
  if (isRecord(inner)) return inner;
  return "findings" in value || "summary" in value ? value : null;
}

function readResult(
  value: Readonly<Record<string, unknown>>,
  found: readonly UnnamedFinding[],
  { earlier: told, tree }: Required<AuditContext>,
  passed: PassedOver,
): AuditResult {
  const sorted = found.toSorted((a, b) => gravity(b.severity) - gravity(a.severity));
  const kept = sorted.slice(0, MAX_FINDINGS);
  // Told all the same: a change may have removed the file, and the fault may be real where only its name is wrong.
  passed.count("missing", kept.filter(({ file }) => tree && file !== null && !isIn(tree, file)).length);
  const findings = nameFindings(kept, told, tree?.files ?? null);
  const raised = new Set(findings.map(({ id }) => id));
  const earlier = readEarlier(value.earlier, new Set(shownOf(told.open).map(({ id }) => id)), passed).filter(
    ({ id, state }) => {
      // Who raises a finding again does not mean that it is fixed.
      return state === "stands" || !raised.has(id);
    },
  );
  const summary = shortText(wordOf(value.summary), SUMMARY_CHARS);
  return { summary, findings, earlier, notes: passed.notes() };
}

/** A folder is there when a file in it is. */
function isIn({ files }: Tree, path: string): boolean {
  const folder = path.endsWith("/") ? path : `${path}/`;
  return files.has(path) || [...files].some((file) => file.startsWith(folder));
}

const FIXED = /^(?:fix(?:ed)?|resolved?|closed?|done|mended|gone|solved|addressed|obsolete)$/;

/** A list of `{ id, state }`, or `F1: fixed`; where an id stands twice, nothing counts as fixed. */
function readEarlier(value: unknown, known: ReadonlySet<string>, passed: PassedOver): AuditResult["earlier"] {
  const states = new Map<string, "stands" | "fixed">();
  const entries = isRecord(value) && !("id" in value) ? [value] : listOf(value);
  for (const entry of entries.slice(0, MAX_READ)) {
    if (!isRecord(entry)) {
      passed.count("earlier");
      continue;
    }
    const pairs =
      "id" in entry ? [[wordOf(entry.id), entry.state ?? entry.status] as const] : Object.entries(entry);
    for (const [name, said] of pairs) {
      const id = name.trim().toUpperCase();
      if (!known.has(id)) {
        passed.count("earlier");
        continue;
      }
      const state = FIXED.test(wordOf(said).trim().toLowerCase()) ? "fixed" : "stands";
      states.set(id, states.has(id) && states.get(id) !== state ? "stands" : state);
    }
  }
  return [...states].map(([id, state]) => ({ id, state }));
}

function describeFault(block: string): string {
  const [fault] = composeYaml(block.endsWith("\n") ? block : `${block}\n`).faults;
  if (!fault) return "Your `loom_findings` block is no YAML mapping.";
  const line = splitLines(block).lineAt(fault.offset) + 1;
  return `Your \`loom_findings\` block can't be read as YAML: line ${line}: ${shortLine(fault.message, 200).replace(/(?<![.:\s])[.:\s]+$/, "")}.`;
}

function unreadable(problem: string): AuditReading {
  return { kind: "unreadable", problem };
}
