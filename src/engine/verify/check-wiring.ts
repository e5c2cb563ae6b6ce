import { UserError } from "../../core/errors.ts";
import type { WiringCheck } from "../../core/plan/plan.ts";
import { quote, withoutStop } from "../../core/text/quote.ts";
import { leaf, type Verdict } from "../../core/verify/verdict.ts";
import type { Patterns } from "../../ports/patterns.ts";
import type { CommitContent } from "./check-content.ts";

const MAX_FILES = 200;

/** Places where the new part has to be connected: a pattern must be found in a file. */
export async function checkWiring(
  content: CommitContent,
  patterns: Patterns,
  wiring: readonly WiringCheck[],
): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const check of wiring) verdicts.push(await checkOne(content, patterns, check));
  return verdicts;
}

async function checkOne(content: CommitContent, patterns: Patterns, check: WiringCheck): Promise<Verdict> {
  const title = check.description ?? check.source;
  const subject = check.description === null ? "" : `${quote(check.source)} `;
  try {
    const { holds, says } = await look(content, patterns, check);
    return leaf(holds ? "passed" : "failed", title, `${subject}${says}`);
  } catch (error) {
    if (error instanceof UserError) return leaf("failed", title, withoutStop(error.message));
    throw error;
  }
}

async function look(
  content: CommitContent,
  patterns: Patterns,
  { source, pattern }: WiringCheck,
): Promise<{ holds: boolean; says: string }> {
  const matches = patterns.regex(pattern);
  const sources = (await content.find(source)).slice(0, MAX_FILES);
  if (sources.length === 0) return { holds: false, says: "names no regular file of the commit" };
  let tooLarge = 0;
  for (const path of sources) {
    const text = await content.read(path);
    if (text === null) tooLarge += 1;
    else if (matches(text.replaceAll("\r\n", "\n")))
      return { holds: true, says: `has a match for ${quote(pattern)}` };
  }
  return tooLarge === sources.length
    ? { holds: false, says: "is too large to look into" }
    : { holds: false, says: `has no match for ${quote(pattern)}` };
}
