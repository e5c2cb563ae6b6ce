import type { RunId, StageId } from "../../ids.ts";

export type Crash = {
  readonly run: RunId;
  readonly stage: StageId;
  readonly attempt: number;
  /** Behind "The session ended because". */
  readonly how: string;
  readonly tail: string;
  readonly diff: string;
};

/** What a person, or the next session, needs to know about a session that was cut off. */
export function renderCrashReport(crash: Crash): string {
  return [
    `# Crash of ${crash.stage}, attempt ${crash.attempt}`,
    `Run: ${crash.run}`,
    `The session did not end by itself: ${crash.how}.`,
    `## Last output\n\n${crash.tail ? indent(crash.tail) : "There was none."}`,
    `## What it had changed\n\n${crash.diff ? indent(crash.diff) : "Nothing."}`,
  ]
    .join("\n\n")
    .concat("\n");
}

/** Indented code can't be closed by what it contains. */
function indent(text: string): string {
  return text
    .replace(/(?<!\n)\n+$/, "")
    .split("\n")
    .map((line) => `    ${line}`)
    .join("\n");
}
