import { table } from "../table.ts";
import { counted } from "../text/durations.ts";
import { plainLines, plainText } from "../text/escape-text.ts";
import { byteLength } from "./cut-markdown.ts";

/**
 * The one way by which text of agents, issues, plans and commands reaches GitHub (T19). What comes out shows the
 * same letters and does nothing: it mentions nobody, links and closes no issue, loads no image, opens no code block,
 * hides nothing and commands nobody.
 *
 * GitHub finds mentions and references in what it has rendered, where a backslash is gone; so those are broken with a
 * space of no width, written as an entity, which also breaks them in the bare text that a squash merge makes of a body.
 */

const GAP = "&#8203;";
const RAW_GAP = "\u200b";

const ACTIVE = /[&<>$@#\\`*_~|[\]]|:\/\/|www(?=\.)|\bGH-(?=\d)/gi;
const ENTITIES: Readonly<Record<string, string>> = table({
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  $: "&#36;",
});

/** One line of nothing but text, at any place of a Markdown document, also at the start of a line and in a table. */
export function escapeMarkdown(text: string, maxChars = 300): string {
  const line = cutLine(plainText(text), maxChars).replace(ACTIVE, (found) => {
    const entity = ENTITIES[found];
    if (entity) return entity;
    if (found === "://") return `:${GAP}//`;
    return found === "@" || found === "#" || found.length > 1 ? `${found}${GAP}` : `\\${found}`;
  });
  // Marks that make a list, a rule or a command of the line they begin.
  return line.replace(/^(?=[-+=/])/, "\\").replace(/^(\d{1,9})(?=[.)])/, "$1\\");
}

/** A title is no Markdown, but becomes the first line of a commit. */
export function escapeTitle(text: string, maxChars = 120): string {
  const line = plainText(text)
    .replace(/^[/\s]+/, "")
    .replaceAll("`", "'")
    .replaceAll("<", "‹")
    .replaceAll(">", "›");
  return escapeForCommit(withoutClosing(cutLine(line, maxChars)));
}

/** A name or a command between backticks that it can't close. */
export function code(text: string, maxChars = 120): string {
  const line = cutLine(plainText(text).replaceAll("`", "'"), maxChars);
  return line === "" ? "(empty)" : `\`${withoutClosing(line)}\``;
}

/** Text of several lines, each of them escaped, as a quote. */
export function quoted(text: string, maxChars = 4_000): string {
  const plain = plainLines(text).trim();
  const kept = cutAt(plain, maxChars);
  const lines = kept.split("\n").map((line) => `> ${escapeMarkdown(line, maxChars)}`.trimEnd());
  const cut = plain.length - kept.length;
  return [...lines, ...(cut > 0 ? [">", `> … (${counted(cut, "more character")})`] : [])].join("\n");
}

/** The end of an output, in a code block that nothing in it can close; what is cut, here and before, is counted in bytes. */
export function fenced(text: string, { maxChars = 4_000, info = "text", cutBefore = 0 } = {}): string {
  const plain = withoutClosing(plainLines(text).trimEnd());
  const kept =
    plain.length > maxChars ? plain.slice(plain.length - maxChars).replace(/^[\udc00-\udfff]/, "") : plain;
  const cut = cutBefore + byteLength(plain) - byteLength(kept);
  const longest = (kept.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = "`".repeat(longest + 1);
  const note = cut > 0 ? `(${counted(cut, "byte")} before this left out)\n\n` : "";
  return `${note}${fence}${info}\n${kept}\n${fence}`;
}

/**
 * A sentence of Loom's that names things between backticks; the names and all around them may come from elsewhere. Several
 * backticks in a row name nothing: somebody's line shows a code block, and is text.
 */
export function escapeSentence(text: string, maxChars = 1_000): string {
  return cutLine(plainText(text), maxChars)
    .split(/(?<!`)`([^`]+)`(?!`)/)
    .map((part, index) => (index % 2 === 1 ? code(part) : escapePart(part, index === 0)))
    .join("");
}

/** `escapeMarkdown` trims, but here a space divides a word from a name. */
function escapePart(text: string, isFirst: boolean): string {
  const words = escapeMarkdown(text, text.length);
  const inside = isFirst ? words : words.replace(/^\\(?=[-+=/])/, "");
  return (/^\s/.test(text) ? " " : "") + inside + (/\S\s$/.test(text) ? " " : "");
}

/**
 * A second lock for titles and bodies of pull requests: a squash merge may turn them into a commit message, where code
 * is no longer code, and a mention, a closing keyword or a word that keeps checks from running counts.
 */
export function escapeForCommit(text: string): string {
  return text
    .replace(CLOSING_NOW, (found) => `${found}${RAW_GAP}`)
    .replace(SKIPPING, (found) => `${found}${RAW_GAP}`)
    .replace(/@(?=[\p{L}\p{N}])/gu, `@${RAW_GAP}`);
}

/** Whether a commit of this text would not be checked by GitHub Actions or another service (T19). */
export function skipsChecks(text: string): boolean {
  return text.search(SKIPPING) !== -1;
}

// `[skip ci]`, `[ci skip]`, `[no ci]`, `[skip actions]` and what other services call themselves, `***NO_CI***` of Azure,
// and the trailers `skip-checks: true` and `request-checks: true`.
const SKIPPING =
  /\[(?=[^\]\n]{0,40}\])(?=[^\]\n]{0,40}(?<![a-z])(?:skip|no[\s_-]?ci)(?![a-z]))|\*{3}(?=no_ci\*{3})|(?<![a-z])(?:skip|request)-(?=checks\s{0,9}:)/gi;

// Case and spaces as GitHub takes them; the reference may be a number, a GH- number, `owner/name#1` or an address.
const KEYWORD = "(?<![A-Za-z0-9])(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)(?![A-Za-z0-9])";
const CLOSING = new RegExp(KEYWORD, "i");
const CLOSING_NOW = new RegExp(
  `${KEYWORD}(?:[^\\w#[]{0,9}\\[[^\\]\\n]{0,200}\\])?[^\\w#]{0,100}(?:${[
    "(?:[\\w.-]{1,100}(?:/[\\w.-]{1,100})?)?(?:#|GH-)",
    "(?:https?:/{0,2})?[\\w.:@-]{1,255}(?:/[\\w.-]{1,100}){1,9}?/(?:issues|pulls?|discussions)/",
  ].join("|")})(?=\\d)`,
  "gi",
);
const REFERENCE = /#(?=\d)|\bGH-(?=\d)|\/(?:issues|pull|pulls|discussions)\/(?=\d)/gi;
const MARKER = /<!--(?=\s{0,9}loom)/gi;

/** In code, mentions are nothing and have to stay copyable; what would close an issue from a commit is broken. */
function withoutClosing(text: string): string {
  const unmarked = text.replace(MARKER, `<${RAW_GAP}!--`);
  return CLOSING.test(text) ? unmarked.replace(REFERENCE, `$&${RAW_GAP}`) : unmarked;
}

function cutLine(line: string, maxChars: number): string {
  return line.length > maxChars ? `${cutAt(line, maxChars - 1).trimEnd()}…` : line;
}

/** Never through the middle of a character that takes two units. */
function cutAt(text: string, maxChars: number): string {
  return text.slice(0, maxChars).replace(/[\ud800-\udbff]$/, "");
}
