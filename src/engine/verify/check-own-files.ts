import { UserError } from "../../core/errors.ts";
import { quoteSome, withoutStop } from "../../core/text/quote.ts";
import { leaf, type Verdict } from "../../core/verify/verdict.ts";
import type { CommitContent } from "./check-content.ts";

/** A stage that touches what it does not own is told apart, not failed: the checks decide whether the work is good. */
export async function checkOwnFiles(
  content: CommitContent,
  globs: readonly string[],
): Promise<Verdict | null> {
  if (globs.length === 0) return null;
  try {
    const own = globs.map(content.naming);
    const outside = [...(await content.changed())].filter((path) => !own.some((names) => names(path)));
    return outside.length === 0
      ? leaf("passed", "files", "all changes are within the stage's own files")
      : leaf("warned", "files", `changed outside of the stage's own files: ${quoteSome(outside.sort())}`);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return leaf("warned", "files", withoutStop(error.message));
  }
}
