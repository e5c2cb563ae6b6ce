import { RE2JS } from "re2js";
import { messageOf, UserError } from "../../core/errors.ts";
import type { Patterns } from "../../ports/patterns.ts";
import { globToRegex } from "./glob-to-regex.ts";

const MAX_PATTERN_LENGTH = 1000;

/**
 * Both kinds run on RE2, whose time grows with the length of the text and never with a power of it. Regular
 * expressions look at lines, as grep does: `^` and `$` are the ends of a line.
 */
export function createPatterns(): Patterns {
  return {
    glob(pattern) {
      refuseLength("file pattern", pattern);
      const trimmed = pattern.replace(/^(?:\.?\/)+/, "");
      const glob = trimmed.endsWith("/") || trimmed === "" ? `${trimmed}**` : trimmed;
      const compiled = compile(
        globToRegex(glob),
        RE2JS.DOTALL,
        "file pattern",
        pattern,
        "Fix it; `*`, `**`, `?`, `[ab]` and `{a,b}` are known.",
      );
      // A name such as `app/[id]/page.tsx` means itself, too.
      return (path) => path === glob || compiled.testExact(path);
    },
    regex(source) {
      refuseLength("pattern", source);
      const compiled = compile(
        source,
        RE2JS.MULTILINE,
        "pattern",
        source,
        "Use RE2 syntax: no look-around, no back-references, no repeat above 1000.",
      );
      return (text) => compiled.test(text);
    },
  };
}

function refuseLength(what: string, pattern: string): void {
  if (pattern.trim() === "")
    throw new UserError(`The ${what} is empty.`, { next: "Write what it should match." });
  if (pattern.length > MAX_PATTERN_LENGTH)
    throw new UserError(`The ${what} has ${pattern.length} characters; ${MAX_PATTERN_LENGTH} are allowed.`, {
      next: "Split it into several shorter ones.",
    });
}

function compile(source: string, flags: number, what: string, written: string, next: string): RE2JS {
  try {
    return RE2JS.compile(source, flags);
  } catch (cause) {
    const why = messageOf(cause)
      .replace(/^error parsing regexp: /, "")
      .replace("`(?m)", "`");
    throw new UserError(`The ${what} \`${written}\` can't be read: ${why}.`, { next, cause });
  }
}
