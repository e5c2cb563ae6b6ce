import { DEPTHS } from "../../command/planning-choices.ts";
import type { Audit } from "../../command/task-kinds.ts";
import { SEVERITIES } from "../../findings/severity.ts";

const AUDITS: Readonly<Record<Audit, string>> = {
  review: "review the change of this branch, or the whole repository",
  debug: "look for the cause of a bug in the code",
  "security-audit": "look for weaknesses that could be used against it",
  "perf-check": "look for what makes it slow",
  "seo-audit": "look for what search engines miss in its pages",
  "a11y-audit": "look for what keeps people out of its pages",
  "compliance-check": "look at licences, privacy and rules",
};

/** What `--help` says about the commands that one agent does. */
export const taskUsage = {
  planNew: "have an agent write a plan for a goal, and check it",
  orchestrate: "have a plan written for a goal, read it, and run it once you say yes",
  audit: (kind: Audit): string => `${AUDITS[kind]}; the agent only reads`,
  ask: "have a question answered from the code; the agent only reads",

  goal: "what is to be done, in words; - reads it from standard input",
  words: "what to look at in particular; - reads it from standard input",
  question: "the question; - reads it from standard input",

  out: "write it there instead of PLAN.md in this folder",
  force: "write over a file that is there",
  fresh: "start again, also where the same goal was started and stopped",
  depth: `how much is designed first: ${listed(DEPTHS)}`,
  express: "ask nothing, design nothing",
  answers: 'answers to questions that may come, such as "1b 2: use Redis"',
  harness: "use this agent",
  planJson: "print one JSON object",
  runJson: "print one JSON object about the plan, then one event per line",
  json: "print one JSON object",
  into: "merge into this branch instead of the current one",
  yes: "run it without asking",
  base: "where the change began; otherwise where this branch left the main one",
  failOn: `exit with 1 when there is a finding this severe: ${listed(SEVERITIES)}`,
  continue: "go on with the last conversation, or with a question that was cut off",

  notOneOf: (words: readonly string[]): string => `It is ${listed(words)}.`,
  planCodes: "\nExit codes: 0 written, 1 no plan, 2 wrong usage, 130 stopped.\n",
  auditCodes: `
What counts as the change: commits that the main branch has not, and what is changed and not
committed yet. Files that git does not know are left out. Without a change, all is looked at.

Exit codes: 0 done, whatever was found; 1 no result, or a finding that --fail-on names;
2 wrong usage; 130 stopped.
`,
  askCodes: "\nExit codes: 0 answered, 1 no answer, 2 wrong usage, 130 stopped.\n",
};

function listed(words: readonly string[]): string {
  return `${words.slice(0, -1).join(", ")} or ${words.at(-1) ?? ""}`;
}
