import { InternalError } from "../errors.ts";
import { isId, type RunId, type StageId } from "../ids.ts";
import { escapeForCommit } from "../markdown/escape-markdown.ts";

/**
 * Commit messages by which Loom recognises its own work. The trailers are the last paragraph, and git reads trailers
 * from there only; whatever the text before says can't pass for one. Names and descriptions of stages come from
 * elsewhere: on the default branch they would close issues and ping people, so they are escaped (T19).
 */

const SUBJECT_CHARS = 72;
const BODY_CHARS = 4_000;

export type StageMessage = {
  readonly subject: string;
  readonly body: string;
  readonly run: RunId;
  readonly stage: StageId;
  readonly attempt: number;
};

export function commitMessage({ subject, body, run, stage, attempt }: StageMessage): string {
  return compose(cleanSubject(subject) || `Stage ${stage}`, cleanBody(body), [
    ["Loom-Run", checkedId(run)],
    ["Loom-Stage", checkedId(stage)],
    ["Loom-Attempt", String(attempt)],
  ]);
}

/** For the commit that puts the run's documents into the repository, or takes them out again (`status: removed`). */
export function recordMessage({ text, run, status }: { text: string; run: RunId; status: string }): string {
  const [subject = "", ...rest] = text.split("\n");
  return compose(cleanSubject(subject) || `Record the run ${run}`, cleanBody(rest.join("\n")), [
    ["Loom-Run", checkedId(run)],
    ["Loom-Record", checkedId(status)],
  ]);
}

function compose(subject: string, body: string, trailers: readonly (readonly [string, string])[]): string {
  const block = trailers.map(([key, value]) => `${key}: ${value}`).join("\n");
  return `${[escapeForCommit(subject), escapeForCommit(body), block].filter((part) => part !== "").join("\n\n")}\n`;
}

function cleanSubject(text: string): string {
  const line = text
    .replace(UNSEEN, " ")
    .replace(/\s+/g, " ")
    .replace(/^[\s-]+/, "")
    .trim();
  const characters = Array.from(line);
  return characters.length <= SUBJECT_CHARS
    ? line
    : `${characters
        .slice(0, SUBJECT_CHARS - 1)
        .join("")
        .trimEnd()}…`;
}

function cleanBody(text: string): string {
  const lines = text.replace(/\r\n?/g, "\n");
  // Never through the middle of a character that takes two units.
  const start = lines.slice(0, BODY_CHARS).replace(/[\ud800-\udbff]$/, "");
  const cut = lines.length - start.length;
  const kept = cut > 0 ? `${start}\n… (${cut} more characters)` : lines;
  return kept
    .split("\n")
    .map((line) => line.replace(UNSEEN, "").trimEnd())
    .filter((line) => !/^[\s>]*co-authored-by\s*:/i.test(line))
    .map((line) => (looksLikeTrailer(line) ? `> ${line}` : line))
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

/** `Signed-off-by: x` and its kin. Plain words before a colon are prose. */
function looksLikeTrailer(line: string): boolean {
  return (
    /^\s*[a-z0-9]+(?:-[a-z0-9]+)+\s*[:=#]/i.test(line) || /^\(cherry picked from commit /i.test(line.trim())
  );
}

// Control characters but tab, and marks that reverse or hide text.
const UNSEEN = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

function checkedId(text: string): string {
  if (!isId(text)) throw new InternalError(`${JSON.stringify(text)} is not an id`);
  return text;
}
