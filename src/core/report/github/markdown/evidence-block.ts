import { fenced } from "../../../markdown/escape-markdown.ts";
import { lastLines } from "../../terminal/task-end.ts";

/** Of an agent that failed: enough to see why, and little enough to be read. */
const EVIDENCE_LINES = 15;
const EVIDENCE_CHARS = 2_000;

/** The end of what an agent wrote, as parts of a comment; empty where it wrote nothing. */
export function evidenceBlock(evidence: string | null): string[] {
  const lines = evidence === null ? [] : lastLines(evidence, EVIDENCE_LINES);
  if (lines.length === 0) return [];
  return ["The end of its output:", fenced(lines.join("\n"), { maxChars: EVIDENCE_CHARS })];
}
