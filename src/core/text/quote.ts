import { listSome } from "./list-some.ts";

const MAX_LENGTH = 120;

/**
 * A name or command inside a sentence: one line, cut, and between backticks that nothing in it can close, so that the
 * sentence is safe wherever it is shown.
 */
export function quote(text: string): string {
  const line = text
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .replaceAll("`", "'")
    .trim();
  const points = Array.from(line);
  return points.length > MAX_LENGTH ? `\`${points.slice(0, MAX_LENGTH - 1).join("")}…\`` : `\`${line}\``;
}

/** The first few, quoted, and how many more there are. */
export function quoteSome(names: readonly string[], most = 5): string {
  return listSome(names, most, quote);
}

/** A whole sentence as a part of another. */
export function withoutStop(sentence: string): string {
  return sentence.replace(/\.$/, "");
}
