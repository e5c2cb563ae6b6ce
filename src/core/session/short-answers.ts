import { skipsChecks } from "../markdown/escape-markdown.ts";
import { cutAt } from "../text/cut-text.ts";
import { plainLines } from "../text/escape-text.ts";

/**
 * One line from a small model that was asked for a commit's subject or a run's name. Such models greet, quote, explain
 * and sign; what can't be cleaned is not used, and the plan's own words take its place.
 */
const SUBJECT_CHARS = 72;
const NAME_CHARS = 60;
/** A line that is this much too long is not a subject but an explanation. */
const TOO_LONG = 1.75;

export function cleanSubject(text: string): string | null {
  return cleanLine(text, SUBJECT_CHARS);
}

export function cleanName(text: string): string | null {
  return cleanLine(text, NAME_CHARS);
}

function cleanLine(text: string, maxChars: number): string | null {
  const lines = plainLines(text.slice(0, 4_000)).split("\n").map(bareLine);
  const line = lines.find((one) => one !== "" && !isTalk(one));
  if (line === undefined || isActive(line) || !/\p{L}/u.test(line)) return null;
  const chars = Array.from(line).length;
  if (chars > maxChars * TOO_LONG) return null;
  return chars > maxChars ? cutAtWord(line, maxChars) : line;
}

/** Without a bullet, a label, what is wrapped around it, and the full stop. */
function bareLine(line: string): string {
  let bare = line
    .replace(/\s+/g, " ")
    .trim()
    .replace(/^(?:[-*+>]|#{1,6}|\d{1,3}[.)]) /, "")
    .replace(/^[*_]{0,3}(?:subject|commit(?: message)?|title|name)[*_]{0,3}:[*_]{0,3} /i, "");
  for (const around of WRAPPERS) bare = around.exec(bare)?.[1] ?? bare;
  return bare
    .replace(/ ?\(#\d{1,9}\)$/, "")
    .replace(/(?<!\.)\.$/, "")
    .trim();
}

const WRAPPERS = [
  /^\*\*(.+)\*\*$/,
  /^`+([^`]+)`+$/,
  /^"([^"]+)"\.?$/,
  /^'([^']+)'\.?$/,
  /^[“„«](.+)[”“»]\.?$/,
];

/** Fences, greetings, refusals, announcements and signatures. */
function isTalk(line: string): boolean {
  return (
    /^(?:`{3,}|~{3,})/.test(line) ||
    line.endsWith(":") ||
    /^(?:sure|certainly|okay|of course|here(?:'s| is| are)|sorry|i'm|i am|i can|i'll|as an)\b/i.test(line) ||
    /^[a-z]+(?:-[a-z]+)+:\s/i.test(line) ||
    /^generated (?:with|by)\b/i.test(line)
  );
}

/** It would mention somebody, link or close something, or keep checks from running, wherever a commit's subject is shown. */
function isActive(line: string): boolean {
  return (
    /(?:^|[^\w])@[\w-]|#\d|\bGH-\d|:\/\/|\bwww\./i.test(line) || /\/loom\b/i.test(line) || skipsChecks(line)
  );
}

function cutAtWord(line: string, maxChars: number): string {
  const start = cutAt(line, maxChars - 1);
  const space = start.lastIndexOf(" ");
  return `${(space > maxChars / 2 ? start.slice(0, space) : start).replace(/(?<![\s,;:.-])[\s,;:.-]+$/, "")}…`;
}
