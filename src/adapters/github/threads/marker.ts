import { InternalError } from "../../../core/errors.ts";
import { fitBody } from "../fit-body.ts";

/**
 * What Loom wrote is found again by a hidden line, and only where the author is Loom as well. It is the last line, where
 * no text that Loom quotes can stand.
 */
const MARKER = /\n<!-- loom:([\w./@-]+) -->\s*$/;

export function marked(body: string, key: string): string {
  if (!/^[\w./@-]+$/.test(key)) throw new InternalError(`${JSON.stringify(key)} can't mark a comment`);
  return fitBody(body, `\n\n<!-- loom:${key} -->`);
}

export function markedKey(body: string | null | undefined): string | null {
  return MARKER.exec(body ?? "")?.[1] ?? null;
}

/** What stands above the marker. */
export function unmarked(body: string): string {
  return body.replace(MARKER, "").replaceAll("\r\n", "\n").trimEnd();
}

/** Another text below which the marker stays, if there was one. */
export function markedAsBefore(body: string, before: string): string {
  const key = markedKey(before);
  return key === null ? fitBody(body, "") : marked(body, key);
}

/** GitHub may store other line ends than it was given. */
export function sameText(one: string | null | undefined, other: string): boolean {
  return (one ?? "").replaceAll("\r\n", "\n").trimEnd() === other.trimEnd();
}
