import {
  endOfSection,
  headLines,
  readSections,
  SECTION_HEAD,
  type TextSection,
} from "../../../findings/read-sections.ts";
import { byteLength, MAX_COMMENT } from "../../../markdown/cut-markdown.ts";
import { code, escapeMarkdown } from "../../../markdown/escape-markdown.ts";
import type { Finding } from "../../../task/task-events.ts";
import { counted } from "../../../text/durations.ts";
import { plainLines, plainText } from "../../../text/escape-text.ts";
import { placeOf } from "../../audit/audit-words.ts";
import { sanitizeMarkdown } from "../markdown/sanitize-markdown.ts";

/** Where files can be seen as the audit saw them: an address of Loom's that paths are put behind; null: nowhere. */
export type FileLinks = { readonly blob: string } | null;

/** How much each finding may say; with many of them, less. */
const BODY_CHARS = [8_000, 3_000, 1_000, 400, 150] as const;

/** Findings that stand in one text. All of them are told: where it gets too long, each says less. */
export function fitSections(maxBytes: number, write: (bodyChars: number) => string): string {
  let text = "";
  for (const chars of BODY_CHARS) {
    text = write(chars);
    if (byteLength(text) <= maxBytes) break;
  }
  return text;
}

/** An agent's own headings are smaller than those of sections, so that none of them passes for one. */
export const BELOW_HEADS = 5;

export function findingSection(finding: Finding, links: FileLinks, bodyChars: number): string {
  const place = placeOf(finding);
  const where = place === null ? "" : ` (${linked(finding, place, links)})`;
  const head = `#### ${escapeMarkdown(finding.id)} · ${escapeMarkdown(finding.severity)} · ${escapeMarkdown(finding.title)}${where}`;
  return [head, sanitizeMarkdown(finding.body, bodyChars, BELOW_HEADS), instead(finding, bodyChars)]
    .filter((part) => part !== "")
    .join("\n\n");
}

function instead({ suggestion }: Finding, maxChars: number): string {
  if (suggestion === null) return "";
  return suggestion.length <= maxChars
    ? `Instead:\n\n${suggestionBlock(suggestion, "text")}`
    : `A suggestion of ${counted(suggestion.length, "character")} is left out.`;
}

/** Whether a section says all that would be written about the finding now, be it at less length. */
export function isSection(section: TextSection, finding: Finding): boolean {
  const { severity, text, file, line } = section;
  return BODY_CHARS.some((chars) => {
    const [now] = readSections(findingSection(finding, null, chars));
    return now?.severity === severity && now.text === text && now.file === file && now.line === line;
  });
}

/** The same text with other words about these findings. */
export function rewriteSections(body: string, findings: readonly Finding[], links: FileLinks): string {
  return fitSections(MAX_COMMENT - SANDBOX, (chars) => {
    const lines = body.split("\n");
    // From the last one, so that the places of those above stay true.
    for (const [at, end] of headLines(lines)
      .map((at, index, heads) => [at, endOfSection(lines, heads[index + 1])] as const)
      .reverse()) {
      const [, struck, id] = SECTION_HEAD.exec(lines[at] ?? "") ?? [];
      const finding = struck === undefined ? findings.find((one) => one.id === id) : undefined;
      if (finding) lines.splice(at, end - at, findingSection(finding, links, chars), "");
    }
    return lines.join("\n").trimEnd();
  });
}

/** For the hidden mark, and for words of Loom's that become longer. */
const SANDBOX = 2_000;

/** What is fixed by now; what is struck already stays as it is. */
export function strikeFindings(body: string, ids: readonly string[]): string {
  const lines = body.split("\n");
  for (const at of headLines(lines)) {
    const head = lines[at] ?? "";
    const [, struck, id = ""] = SECTION_HEAD.exec(head) ?? [];
    if (struck === undefined && ids.includes(id))
      lines[at] = `#### ~~${head.slice("#### ".length)}~~ · fixed`;
  }
  return lines.join("\n");
}

/** To the letter, because a click writes it into the file; so it is not `fenced`, which breaks words in it. */
export function suggestionBlock(text: string, info: "suggestion" | "text"): string {
  const content = plainLines(text);
  const longest = (content.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = "`".repeat(longest + 1);
  return `${fence}${info}\n${content}\n${fence}`;
}

function linked({ file, line, endLine }: Finding, place: string, links: FileLinks): string {
  if (links === null || file === null) return code(place, 300);
  const lines = line === null ? "" : `#L${line}${endLine === null ? "" : `-L${endLine}`}`;
  return `[${code(place, 300)}](${links.blob}/${file.split("/").map(encodeName).join("/")}${lines})`;
}

/** Beyond what addresses ask for: nothing that Markdown reads may be left in it. */
function encodeName(name: string): string {
  return encodeURIComponent(plainText(name)).replace(
    /[!'()*~_]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
