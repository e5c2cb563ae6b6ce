import stringWidth from "string-width";
import { wrapLines } from "../../core/text/wrap-lines.ts";
import type { OutputStream } from "./run-output.ts";

/** Where nobody looks at a screen, lines stay as they are: programs and editors wrap them better. */
export function wrapFor(stream: Partial<OutputStream>, text: string): string {
  return stream.isTTY && stream.columns ? wrapLines(text, stream.columns - 1, stringWidth) : text;
}
