import { createHash } from "node:crypto";
import { fitBody } from "../fit-body.ts";

/**
 * Title and description of Loom's pull requests. The description ends with a hidden line that says, as short hashes, what
 * Loom wrote last. What stands there now and is not that was written by a person, and is left as it is.
 */
export type PullText = { readonly title: string; readonly body: string };

const MARKER = /<!-- loom:pull title=([0-9a-f]{12}) body=([0-9a-f]{12}) -->\s*$/;

export function markedText({ title, body }: PullText): PullText {
  const plain = body.replaceAll("\r\n", "\n").trimEnd();
  const marker = `\n\n<!-- loom:pull title=${hash(title)} body=${hash(plain)} -->`;
  return { title, body: fitBody(plain, marker) };
}

/** What of the wanted text has to be written, where it differs and no person has had a hand in it. */
export function textChanges(now: PullText, wanted: Partial<PullText>): { title?: string; body?: string } {
  const text = now.body.replaceAll("\r\n", "\n");
  const marker = MARKER.exec(text);
  const plain = text.replace(MARKER, "").trimEnd();
  const titleIsLooms = marker?.[1] === hash(now.title);
  const bodyIsLooms = marker?.[2] === hash(plain);
  const title = titleIsLooms ? (wanted.title ?? now.title) : now.title;
  const body = bodyIsLooms ? (wanted.body ?? plain) : plain;
  const changes: { title?: string; body?: string } = {};
  if (title !== now.title) changes.title = title;
  // The hash of a title or text that a person wrote would claim it for Loom, so that then nothing is marked anew.
  if (bodyIsLooms) {
    const next = markedText({ title, body }).body;
    const kept = titleIsLooms ? next : next.replace(/title=[0-9a-f]{12}/, `title=${marker?.[1]}`);
    if (kept.trimEnd() !== text.trimEnd()) changes.body = kept;
  } else if (changes.title !== undefined && marker) {
    changes.body = text
      .trimEnd()
      .replace(/title=[0-9a-f]{12}(?= body=[0-9a-f]{12} -->$)/, `title=${hash(title)}`);
  }
  return changes;
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}
