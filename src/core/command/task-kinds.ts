/** Commands that have one agent look at something and tell what it found. */
export const AUDITS = [
  "review",
  "debug",
  "security-audit",
  "perf-check",
  "seo-audit",
  "a11y-audit",
  "compliance-check",
] as const;
export type Audit = (typeof AUDITS)[number];

/** What one agent does outside of a run: it reads, and never changes a file. */
export const TASK_KINDS = ["plan", "revise", "ask", ...AUDITS] as const;
export type TaskKind = (typeof TASK_KINDS)[number];

/** It leads to a plan, or to another one. */
export function isPlanning(kind: TaskKind): boolean {
  return kind === "plan" || kind === "revise";
}

export function isAudit(word: string): word is Audit {
  return AUDITS.some((audit) => audit === word);
}
