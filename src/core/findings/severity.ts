import type { Finding } from "../task/task-events.ts";

export type Severity = Finding["severity"];

/** The most severe first. */
export const SEVERITIES: readonly Severity[] = ["critical", "high", "medium", "low", "info"];

/** The higher, the more severe. */
export function gravity(severity: Severity): number {
  return -SEVERITIES.indexOf(severity);
}

/** Words that agents and tools use for the same. */
const WORDS: Readonly<Record<Severity, readonly string[]>> = {
  critical: ["crit", "blocker", "blocking", "fatal", "severe", "emergency", "p0", "sev0", "s0"],
  high: ["major", "error", "important", "serious", "danger", "bug", "p1", "sev1", "s1"],
  medium: ["med", "moderate", "warning", "warn", "normal", "average", "p2", "sev2", "s2"],
  low: ["minor", "trivial", "small", "nit", "nitpick", "style", "cosmetic", "p3", "sev3", "s3"],
  info: [
    "information",
    "informational",
    "note",
    "notice",
    "hint",
    "suggestion",
    "optional",
    "question",
    "none",
    "p4",
  ],
};

/** null: no such word is known. */
export function readSeverity(word: string): Severity | null {
  const plain = word
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, " ")
    .trim();
  const first = plain.split(" ")[0] ?? "";
  return SEVERITIES.find((one) => first === one || WORDS[one].includes(first)) ?? null;
}
