import { messageOf } from "../../core/errors.ts";
import type { Patterns } from "../../ports/patterns.ts";

/** For plan parsing, which may not know a regular-expression engine itself: what is wrong with a pattern, or null. */
export function patternProblem(patterns: Patterns): (source: string) => string | null {
  return (source) => {
    try {
      patterns.regex(source);
      return null;
    } catch (error) {
      return messageOf(error);
    }
  };
}
