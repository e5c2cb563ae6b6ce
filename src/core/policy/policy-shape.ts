import type { z } from "zod";
import type { Path } from "../plan/read/read-yaml.ts";
import { placeOf, seenInstead } from "../plan/read/seen-instead.ts";
import { formatPath, type Reporter } from "../plan/report-problems.ts";
import { table } from "../table.ts";
import { nearestName } from "../text/nearest-name.ts";
import { quote } from "../text/quote.ts";

/** What a right value looks like, for the advice behind a wrong one; also the list of all that is known. */
const EXAMPLES: Readonly<Record<string, string>> = table({
  version: "version: 1",
  otherwise: "otherwise: allow",
  rules: "rules: [{ id: no-push, decision: deny, reason: Loom pushes., commands: [git push] }]",
  "rules.id": "id: no-push",
  "rules.decision": "decision: deny",
  "rules.reason": "reason: Loom pushes when the stage is verified.",
  "rules.commands": 'commands: ["git push", "rm -rf"]',
  "rules.arguments": 'arguments: ["of=/dev/sd*"]',
  "rules.redirection": "redirection: to-file",
  "rules.here_document": "here_document: true",
});

const RULE_KEYS = keysBelow("rules.");

/** Tells what zod found in the words of the file. */
export function reportPolicyShape(
  issues: readonly z.core.$ZodIssue[],
  root: unknown,
  reporter: Reporter,
): void {
  for (const issue of issues) {
    const at = placeOf(issue);
    if (issue.code === "unrecognized_keys") {
      for (const key of issue.keys) reportUnknown(key, at, reporter);
      continue;
    }
    const names = at.filter((step) => typeof step === "string");
    const field = names.join(".");
    const isRule = field === "rules" && at.length > 1;
    const label = field === "" ? "The file" : isRule ? "A rule" : quote(names.at(-1) ?? "");
    const example = EXAMPLES[isRule ? "rules.id" : field] ?? "version: 1";
    reporter.error(
      at,
      `${label} ${issue.message}${seenInstead(issue, root)}.`,
      `Write, for example, ${quote(example)}.`,
    );
  }
}

function reportUnknown(key: string, at: Path, reporter: Reporter): void {
  const known = at.length === 0 ? keysBelow("") : RULE_KEYS;
  const near = nearestName(key, known);
  const isRuleKey = at.length === 0 && RULE_KEYS.includes(key);
  const fix = isRuleKey
    ? "Write it into a rule below `rules:`."
    : near
      ? `Did you mean ${quote(near)}?`
      : `Remove it. Known here: ${known.map(quote).join(", ")}.`;
  reporter.error([...at, key], `Loom does not know ${quote(formatPath([...at, key]))}.`, fix);
}

function keysBelow(prefix: string): string[] {
  return Object.keys(EXAMPLES)
    .filter((path) => path.startsWith(prefix) && !path.slice(prefix.length).includes("."))
    .map((path) => path.slice(prefix.length));
}
