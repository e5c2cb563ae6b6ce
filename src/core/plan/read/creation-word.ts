import type { StagePlan } from "../plan.ts";

/**
 * The word by which a stage says that something is made in the code: the first of its name, or, where the name does not
 * say that something is looked at, of its description. "Write a report" is none, that is what agents are for that only
 * read; and only the imperative counts, because "Building blocks" and "Fixes of last week" are things to look at.
 */
export function creationWord({ name, description, type }: StagePlan): string | null {
  for (const text of [name, description]) {
    const start = text.slice(0, 200).replace(/^[^a-z]+/i, "");
    if (READS.test(start)) return null;
    const word = MAKES.exec(start)?.[0];
    if (word === undefined || SPOKEN.test(start)) continue;
    // To try a project, or to find a fault in it, one builds it.
    if (/^build$/i.test(word) && (type === "integration-verify" || type === "investigate")) continue;
    return word;
  }
  return null;
}

const MAKES = /^(?:create|add|implement|build|write|fix)(?=\s)/i;
const READS =
  /^(?:analy[sz]e|assess|audit|check|design|diagnose|evaluate|examine|explore|find|inspect|investigate|look|plan|read|research|review|study|test|try|verify)\b/i;

const REMARKS = "comments?|findings?|notes?|recommendations?";
const PAPERS = `${REMARKS}|analys[ei]s|assessment|audit|critique|design|diagnosis|inventory|list|opinion|overview|plan|proposal|report|reviews?|summary|threat model|verification`;
/** Behind it stands nothing that it could be a part of, as in "the report page". */
const ENDS = "(?=$|[^\\w\\s-]|\\s+(?:about|and|as|by|for|from|in|of|on|or|that|to|which|with)\\b)";

/** What is made is words and no file. */
const SPOKEN = new RegExp(
  [
    "^\\w+\\s+(?:no|nothing)\\b",
    "^write\\s+(?:down|how|up|what|why)\\b",
    `^add\\s+(?:[\\w-]+\\s+){0,3}?(?:${REMARKS})${ENDS}`,
    `^(?:build|create|write)\\s+(?:[\\w-]+\\s+){0,3}?(?:${PAPERS})${ENDS}`,
  ].join("|"),
  "i",
);
