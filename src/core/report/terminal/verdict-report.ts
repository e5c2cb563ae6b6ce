import { assertNever } from "../../errors.ts";
import { counted, formatDuration } from "../../text/durations.ts";
import { markdownBlock, markdownText, plainLines, plainText } from "../../text/escape-text.ts";
import { keepTail } from "../../text/keep-tail.ts";
import { quote } from "../../text/quote.ts";
import {
  countLeaves,
  type Evidence,
  failedLeaves,
  leavesWith,
  type Outcome,
  type Verdict,
} from "../../verify/verdict.ts";

export type VerdictStyle = "text" | "markdown";

const SIGNS: Readonly<Record<Outcome, string>> = { passed: "✓", warned: "!", ask: "?", failed: "✗" };
/** What goes to the next attempt: enough to see the fault, little enough to leave room for the work. */
const EVIDENCE_BYTES = 16 * 1024;
const MAX_EXPLAINED = 8;
const MAX_NAMED = 3;

/** The whole tree; output stands below what failed or was warned about. */
export function renderVerdict(verdict: Verdict, { style }: { style: VerdictStyle }): string {
  return `${render(verdict, style, 0).join("\n").trimEnd()}\n`;
}

function render(verdict: Verdict, style: VerdictStyle, depth: number): string[] {
  const below = verdict.children.flatMap((child) => render(child, style, depth + 1));
  const indent = "  ".repeat(depth);
  switch (style) {
    case "text":
      return [`${indent}${headline(verdict, style)}`, ...textOutput(verdict, `${indent}  `), ...below];
    case "markdown":
      return [`${indent}- ${headline(verdict, style)}`, ...markdownOutput(verdict, `${indent}  `), ...below];
    default:
      return assertNever(style);
  }
}

function headline(verdict: Verdict, style: VerdictStyle): string {
  const { outcome, detail, evidence, children } = verdict;
  const plain = plainText(verdict.title);
  const title = style === "text" ? shorten(plain) : children.length > 0 ? markdownText(plain) : quote(plain);
  const says = detail === null ? "" : `: ${style === "text" ? plainText(detail) : markdownSentence(detail)}`;
  return `${SIGNS[outcome]} ${title}${says}${facts(detail, evidence)}`;
}

function facts(detail: string | null, evidence: Evidence | null): string {
  if (!evidence) return "";
  const parts: string[] = [];
  if (evidence.exitCode !== null && !detail?.includes("exited with")) parts.push(`exit ${evidence.exitCode}`);
  if (evidence.durationMs !== null) parts.push(formatDuration(evidence.durationMs));
  return parts.length > 0 ? ` (${parts.join(", ")})` : "";
}

/** A title may be a person's words for the command, or be cut; the command itself is part of the evidence. */
function shownOutput({ outcome, title, evidence }: Verdict): string[] {
  if (!evidence || outcome === "passed") return [];
  const { command, output, cutBytes } = evidence;
  const named = command !== null && (command !== title || shorten(plainText(command)) !== plainText(command));
  return [
    ...(named ? [`$ ${command}`] : []),
    ...(cutBytes > 0 ? [`(${counted(cutBytes, "byte")} before this left out)`] : []),
    ...(output.trim() === "" ? [] : plainLines(output).trimEnd().split("\n")),
  ];
}

function textOutput(verdict: Verdict, indent: string): string[] {
  return shownOutput(verdict).flatMap((line) =>
    plainLines(line)
      .split("\n")
      .map((part) => `${indent}│ ${part}`.trimEnd()),
  );
}

function markdownOutput(verdict: Verdict, indent: string): string[] {
  const lines = shownOutput(verdict);
  if (lines.length === 0) return [];
  const block = markdownBlock(lines.join("\n")).split("\n");
  return ["", ...block.map((line) => `${indent}${line}`.trimEnd()), ""];
}

/** Names in a detail stand between backticks that they can't close; all around them is prose. */
function markdownSentence(text: string): string {
  return plainText(text)
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : markdownProse(part)))
    .join("");
}

function markdownProse(text: string): string {
  // `markdownText` trims, but here a space divides a word from a name.
  return (/^\s/.test(text) ? " " : "") + markdownText(text) + (/\S\s$/.test(text) ? " " : "");
}

function shorten(line: string): string {
  return quote(line).slice(1, -1);
}

/** Why a verdict is red, in one sentence, and what the next attempt has to see. */
export function explainVerdict(verdict: Verdict): { message: string; evidence: string | null } {
  const failed = failedLeaves(verdict);
  if (failed.length === 0) return { message: "No check failed.", evidence: null };
  const named = failed.slice(0, MAX_NAMED).map(sentenceOf);
  const rest = failed.length - named.length;
  const reasons = `${named.join("; ")}${rest > 0 ? `; and ${rest} more` : ""}`;
  return { message: `${opening(verdict, failed.length)}${reasons}.`, evidence: evidenceOf(failed) };
}

/** Why a verdict asks for a person, and what they have to see. */
export function explainAsk(verdict: Verdict): { message: string; evidence: string | null } {
  const asks = leavesWith(verdict, "ask");
  const named = asks.slice(0, MAX_NAMED).map(sentenceOf);
  const rest = asks.length - named.length;
  const message = `${named.join(". ")}${rest > 0 ? `. And ${rest} more` : ""}.`;
  return { message, evidence: evidenceOf(asks) };
}

function opening(verdict: Verdict, failed: number): string {
  if (verdict.children.some((one) => one.title === "setup" && one.outcome === "failed"))
    return "The set-up failed: ";
  const all = countLeaves(verdict);
  return all === 1 ? "" : `${failed} of ${counted(all, "check")} failed: `;
}

function sentenceOf({ title, detail, evidence }: Verdict): string {
  const says = plainText(detail ?? "failed");
  return evidence?.command
    ? `${quote(plainText(evidence.command))} ${says}`
    : `${quote(plainText(title))}: ${says}`;
}

function evidenceOf(failed: readonly Verdict[]): string | null {
  if (failed.length === 1 && !failed[0]?.evidence?.output.trim()) return null;
  const shown = failed.slice(0, MAX_EXPLAINED);
  const share = Math.floor(EVIDENCE_BYTES / shown.length);
  const parts = shown.map((one) => {
    const head = one.evidence?.command ? `$ ${one.evidence.command}` : one.title;
    const { text, cutBytes } = keepTail(one.evidence?.output.trimEnd() ?? "", share);
    const cut = cutBytes + (one.evidence?.cutBytes ?? 0);
    return [
      plainLines(head),
      `(${plainText(one.detail ?? "failed")})`,
      ...(cut > 0 ? [`(${counted(cut, "byte")} before this left out)`] : []),
      ...(text === "" ? [] : [plainLines(text)]),
    ].join("\n");
  });
  if (failed.length > shown.length)
    parts.push(`(${counted(failed.length - shown.length, "more failed check")})`);
  return parts.join("\n\n");
}
