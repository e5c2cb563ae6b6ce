import type { SessionId, StageId } from "../ids.ts";
import { asData } from "../markdown/as-data.ts";
import { shortLine, shortText } from "../text/cut-text.ts";
import { counted } from "../text/durations.ts";
import type { HandOff } from "./hand-off.ts";

/** What a session did or said, as far as the next one can make use of it. */
export type SessionNote = { readonly kind: "tool" | "text"; readonly text: string };

const MAX_NOTES = 40;
const NOTE_CHARS = 200;
const MAX_FILES = 50;
const LAST_CHARS = 4_000;

/** The hand-off of a session that could not be asked for one: what it did last, what it changed, what it said. */
export function composeHandOff(left: {
  readonly session: SessionId;
  readonly stage: StageId;
  readonly contextPercent: number;
  readonly events: readonly SessionNote[];
  readonly diff: string;
  readonly lastText: string | null;
}): HandOff {
  const files = filesInDiff(left.diff);
  const notes = left.events.slice(-MAX_NOTES).filter((note) => note.text.trim() !== "");
  const parts = [
    "Loom wrote this: the session before could not be asked for it. It is what the session did, not what it thought.",
  ];
  if (notes.length > 0) {
    const lines = notes.map(
      (note) => `${note.kind === "tool" ? "ran" : "said"}: ${shortLine(note.text, NOTE_CHARS)}`,
    );
    const before = left.events.length - notes.length;
    const title = before > 0 ? `The last ${notes.length} steps, after ${before} others:` : "Its steps:";
    parts.push(`${title}\n\n${asData(lines.join("\n"))}`);
  }
  if (left.lastText?.trim()) {
    parts.push(`Its last words:\n\n${asData(shortText(left.lastText, LAST_CHARS))}`);
  }
  const shown = files.slice(0, MAX_FILES);
  return {
    version: 2,
    sessionId: left.session,
    stageId: left.stage,
    contextPercent: Math.round(left.contextPercent * 10) / 10,
    completedTasks:
      files.length === 0
        ? []
        : [
            {
              description: `Changed ${counted(files.length, "file")}, not checked yet`,
              files: shown,
            },
          ],
    keyDecisions: [],
    remaining: ["Compare what is in the work tree with the stage, then finish it."],
    body: parts.join("\n\n"),
    by: "loom",
  };
}

/** The names in a diff of git's, each once. Only the heads of files are read: a changed line may look like one. */
export function filesInDiff(diff: string): string[] {
  const files = new Set<string>();
  let name: string | null = null;
  let inHead = false;
  for (const line of diff.split("\n")) {
    if (line.startsWith("diff --git ")) {
      if (name !== null) files.add(name);
      name = secondName(line.slice("diff --git ".length));
      inHead = true;
    } else if (line.startsWith("@@ ")) {
      inHead = false;
    } else if (inHead) {
      const found = /^(?:\+\+\+ "?b\/|rename to )(.*?)"?\t?$/.exec(line)?.[1];
      if (found) name = found;
    }
  }
  if (name !== null) files.add(name);
  return [...files];
}

/** Of `a/x b/x`, where both are the same unless a later line says otherwise. */
function secondName(both: string): string | null {
  const half = both.slice(Math.floor(both.length / 2) + 1);
  return /^"?b\/(.*?)"?$/.exec(half)?.[1] ?? null;
}
