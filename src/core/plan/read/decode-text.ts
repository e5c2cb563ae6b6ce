import type { Problem } from "../problem.ts";

export const MAX_PLAN_BYTES = 5_000_000;

export type Decoded =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "unreadable"; readonly problem: Problem };

/** The text of a file, without its byte order mark; or the one reason why it can't be read as text. */
export function decodeText(input: Uint8Array | string): Decoded {
  if (input.length > MAX_PLAN_BYTES) {
    return unreadable(
      null,
      `The file is larger than ${MAX_PLAN_BYTES / 1_000_000} MB.`,
      "Move long texts into files of the repository and name those in the plan.",
    );
  }
  const text = typeof input === "string" ? input : decodeUtf8(input);
  if (text === null && typeof input !== "string") {
    return unreadable(
      lineOfFirstBadByte(input),
      isUtf16(input) ? "The file is UTF-16, not UTF-8." : "The file is not UTF-8 text.",
      "Save the file as UTF-8.",
    );
  }
  const plain = (text ?? "").replace(/^\uFEFF/, "");
  const zero = plain.indexOf("\0");
  if (zero !== -1) {
    return unreadable(
      plain.slice(0, zero).split("\n").length,
      "The file holds a zero byte, so it is not a text.",
      "Remove the zero byte, or save the file as UTF-8.",
    );
  }
  return { kind: "text", text: plain };
}

function unreadable(line: number | null, message: string, fix: string): Decoded {
  return { kind: "unreadable", problem: { severity: "error", path: "", line, message, fix } };
}

function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function isUtf16(bytes: Uint8Array): boolean {
  return (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
}

/** Halves the bytes until the shortest beginning that is not UTF-8 is found. */
function lineOfFirstBadByte(bytes: Uint8Array): number {
  let good = 0;
  let bad = bytes.length;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (isBeginningOfUtf8(bytes.subarray(0, middle))) good = middle;
    else bad = middle;
  }
  let line = 1;
  for (let at = bytes.indexOf(0x0a); at !== -1 && at < good; at = bytes.indexOf(0x0a, at + 1)) line += 1;
  return line;
}

function isBeginningOfUtf8(bytes: Uint8Array): boolean {
  try {
    // A character that is cut at the end is no mistake yet.
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
