import type { TaskKind } from "../../command/task-kinds.ts";
import { SEVERITIES } from "../../findings/severity.ts";
import type { Finding } from "../../task/task-events.ts";
import { counted } from "../../text/durations.ts";

/** What people call each kind of work of one agent, with its article. */
const NAMES: Readonly<Record<TaskKind, string>> = {
  plan: "the plan",
  revise: "the revision",
  ask: "the answer",
  review: "the review",
  debug: "the search for the cause",
  "security-audit": "the security audit",
  "perf-check": "the performance check",
  "seo-audit": "the search engine audit",
  "a11y-audit": "the accessibility audit",
  "compliance-check": "the compliance check",
};

export function taskName(kind: TaskKind): string {
  return NAMES[kind];
}

/** At the start of a sentence, or as a title. */
export function taskTitle(kind: TaskKind): string {
  return upper(NAMES[kind]);
}

/** That it came to nothing; why is said behind it. */
export function noneOf(kind: TaskKind): string {
  if (kind === "plan") return "There is no plan.";
  if (kind === "revise") return "The plan was not changed.";
  return kind === "ask" ? "There is no answer." : `${taskTitle(kind)} failed.`;
}

/** `Security audit`. */
export function auditTitle(kind: TaskKind): string {
  return upper(NAMES[kind].replace(/^the /, ""));
}

/** `3 findings (1 high, 2 low)`. */
export function countFindings(findings: readonly Pick<Finding, "severity">[]): string {
  if (findings.length === 0) return "nothing found";
  const parts = SEVERITIES.flatMap((severity) => {
    const n = findings.filter((one) => one.severity === severity).length;
    return n === 0 ? [] : [`${n} ${severity}`];
  });
  return `${counted(findings.length, "finding")} (${parts.join(", ")})`;
}

/** `src/a.ts:12-14`, or null where it belongs to no file. */
export function placeOf({ file, line, endLine }: Pick<Finding, "file" | "line" | "endLine">): string | null {
  if (file === null) return null;
  if (line === null) return file;
  return endLine === null ? `${file}:${line}` : `${file}:${line}-${endLine}`;
}

function upper(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
