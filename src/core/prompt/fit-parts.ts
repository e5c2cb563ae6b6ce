import { asData, dataText } from "../markdown/as-data.ts";
import { byteLength } from "../markdown/cut-markdown.ts";
import { counted } from "../text/durations.ts";
import { keepTail } from "../text/keep-tail.ts";

/**
 * Prompts are kept inside a budget by taking from what is worth least, part by part, until the rest fits. A part that
 * would keep next to nothing goes altogether, and one line at the end tells what is missing, so that no agent takes
 * half a text for the whole.
 */
export type Part = {
  /** What people call it when it was shortened; several parts may share a name. */
  readonly name: string;
  /** The lowest goes first; null: it stays as it is. */
  readonly priority: number | null;
  /** Stands before the text and stays with it. */
  readonly lead: string;
  readonly text: string;
  /** Which end is worth more; `whole`: a part of it is worth nothing. */
  readonly keep: "start" | "end" | "whole";
  /** Somebody else's words stand in a code block of this language; null: they are Loom's or the plan's. */
  readonly language: string | null;
};

export type Fitted = {
  readonly text: string;
  /** The names of what was shortened or left out, and the parts as they were given. */
  readonly cut: readonly string[];
  readonly shortened: readonly Part[];
};

/** Below this a rest of a part is of no use. */
const LEAST_BYTES = 300;
/** For the line that says how much is missing. */
const NOTE_BYTES = 60;
/** For the line that says which parts are missing. */
const SUMMARY_BYTES = 400;
const SEPARATOR = "\n\n";

type Sized = { readonly given: Part; readonly part: Part; text: string; missing: number; bytes: number };

export function fitParts(parts: readonly Part[], maxBytes: number): Fitted {
  const sized = parts.map((given): Sized => {
    // Measured as it will stand there: otherwise what is taken away could be what would not be shown anyway.
    const part = given.language === null ? given : { ...given, text: dataText(given.text) };
    const bytes = byteLength(render(part, part.text, 0)) + SEPARATOR.length;
    return { given, part, text: part.text, missing: 0, bytes };
  });
  const total = sized.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total > maxBytes) takeAway(sized, total - maxBytes + SUMMARY_BYTES);
  const shown = sized.filter(({ part, text }) => text !== "" || part.priority === null || part.text === "");
  const rendered = shown.map(({ part, text, missing }) => render(part, text, missing));
  const gone = sized.filter((one) => !shown.includes(one));
  if (gone.length > 0) rendered.splice(-1, 0, summary(gone));
  const shortened = sized.filter(({ missing }) => missing > 0);
  return {
    text: rendered.filter((text) => text !== "").join(SEPARATOR),
    cut: namesOf(shortened),
    shortened: shortened.map(({ given }) => given),
  };
}

/** Of parts that are worth the same, the longest gives first. */
function takeAway(sized: readonly Sized[], bytes: number): void {
  let over = bytes;
  const order = sized
    .filter(({ part }) => part.priority !== null)
    .sort((a, b) => (a.part.priority ?? 0) - (b.part.priority ?? 0) || b.bytes - a.bytes);
  for (const one of order) {
    if (over <= 0) return;
    const { part, bytes: before } = one;
    // Its text in bytes, less than it takes now by what it is to give and by the note about it.
    const sandbox = byteLength(part.text) - over - NOTE_BYTES;
    one.text = sandbox < LEAST_BYTES || part.keep === "whole" ? "" : shorten(part.text, sandbox, part.keep);
    one.missing = part.text.length - one.text.length;
    one.bytes = one.text === "" ? 0 : byteLength(render(part, one.text, one.missing)) + SEPARATOR.length;
    over -= before - one.bytes;
  }
}

function shorten(text: string, maxBytes: number, keep: Part["keep"]): string {
  if (keep === "end") return keepTail(text, maxBytes).text;
  const bytes = new TextEncoder().encode(text).subarray(0, maxBytes);
  // A character that was cut in half comes out as a replacement character.
  return new TextDecoder().decode(bytes).replace(/\ufffd{1,3}$/, "");
}

function render({ lead, keep, language }: Part, text: string, missing: number): string {
  const shown = text === "" ? "" : language === null ? text : asData(text, language);
  const note =
    missing > 0
      ? `(${counted(missing, "character")} ${keep === "end" ? "before" : "after"} this left out)`
      : "";
  return [lead, ...(keep === "end" ? [note, shown] : [shown, note])].filter((one) => one !== "").join("\n\n");
}

function summary(gone: readonly Sized[]): string {
  const missing = gone.reduce((sum, one) => sum + one.missing, 0);
  return `Left out, because all of it would be too long (${counted(missing, "character")}): ${namesOf(gone).join(", ")}.`;
}

function namesOf(sized: readonly Sized[]): string[] {
  return [...new Set(sized.map(({ part }) => part.name))];
}
