import { createPatterns } from "../adapters/text/patterns.ts";
import { messageOf } from "../core/errors.ts";

const patterns = createPatterns();

/** For plan parsing, which may not know a regular-expression engine itself: what is wrong with a pattern, or null. */
export function checkPattern(source: string): string | null {
  try {
    patterns.regex(source);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}
