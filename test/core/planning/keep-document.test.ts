import { describe, expect, it } from "vitest";
import type { Plan } from "../../../src/core/plan/plan.ts";
import { parsePlan } from "../../../src/core/plan/read/parse-plan.ts";
import { checkDraft } from "../../../src/core/planning/draft/check-draft.ts";
import { ANSWER, draftRules, PROSE, STAGES } from "./planning-values.ts";

const PEOPLES = `# Limits

Some lines below the title.

## Background

We had an outage, see <https://example.com/a?b=c>.

## Decisions

| What | Who |
|---|---|
| Redis | mia |

~~~yaml
# loom plan
loom:
  version: 1
  merge: { mode: review }
  stages:
    - { id: parse-limits, name: Read, description: "Not \`\`\` yet", files: [src/limits.ts], acceptance: [npm test] }
~~~

## Appendix

    kept   as it is
`;

function planIn(text: string): Plan {
  const { plan } = parsePlan(text, { origin: "elsewhere" });
  if (!plan) throw new Error(text);
  return plan;
}

function revise(document: string, answer = ANSWER, template?: string): ReturnType<typeof checkDraft> {
  const amends = planIn(document);
  const title = amends.name ?? "A title of the issue";
  return checkDraft(answer, draftRules({ amends, document, title, ...(template ? { template } : {}) }));
}

const MERGES = ANSWER.replace("version: 1", "version: 1\n  merge: { mode: review }");
const around = (text: string): string[] => text.split("~~~").filter((_, index) => index !== 1);

describe("a document that people wrote", () => {
  it("gets another plan into its block, and keeps every other byte", () => {
    const { plan, notes, problems } = revise(PEOPLES, MERGES);
    expect(problems).toEqual([]);
    expect(around(plan ?? "")).toEqual(around(PEOPLES));
    const parsed = planIn(plan ?? "");
    expect(parsed).toMatchObject({ name: "Limits", merge: { mode: "review" } });
    expect(parsed.stages.map(({ id }) => id)).toEqual(["parse-limits", "enforce-limits", "document-limits"]);
    expect(notes).toMatchInlineSnapshot(`
      [
        "People wrote the plan's document: what stands around its stages is as it was.",
        "Why the stages are as they are now, says the planner: The limits come first, because both others need them.",
      ]
    `);
  });

  it("may have the line ends of Windows, an indented block, or nothing but YAML", () => {
    const windows = PEOPLES.replaceAll("\n", "\r\n");
    const { plan } = revise(windows, MERGES);
    expect(plan?.replaceAll("\r\n", "")).not.toContain("\n");
    expect(around(plan ?? "")).toEqual(around(windows));
    const indented = `# Limits\n\n1. The plan\n   \`\`\`yaml\n${STAGES.replaceAll(/^(?=.)/gm, "   ")}   \`\`\`\n2. No more\n`;
    expect(revise(indented).plan).toMatch(
      /^# Limits\n\n1\. The plan\n {3}```yaml\n {3}loom:\n(?: {3}.*\n)* {3}```\n2\. No more\n$/,
    );
    expect(revise(STAGES).plan).toMatch(/^loom:\n {2}version: 1\n/);
  });

  it("is also one of Loom's to which somebody added a part", () => {
    const { plan: own = "" } = checkDraft(ANSWER, draftRules());
    const theirs = `${own}\n## Background\n\nWe had an outage.\n`;
    const { plan, notes } = revise(theirs, ANSWER.replaceAll("parse-limits", "read-limits"));
    expect(plan).toContain("## Background\n\nWe had an outage.\n");
    expect(plan).toContain("- id: read-limits\n");
    expect(notes).toHaveLength(2);
  });
});

describe("a document of Loom's", () => {
  it("is composed anew, with its graph and its tables", () => {
    const { plan: own = "" } = checkDraft(ANSWER, draftRules());
    // A word that somebody fixed makes it nobody else's.
    const edited = (own ?? "").replace("Add readLimits.", "Add readLimits, and test it.");
    const { plan, notes } = revise(edited, ANSWER.replaceAll("parse-limits", "read-limits"));
    expect(plan).toContain("1  read-limits\n2  enforce-limits <- read-limits\n");
    expect(notes).toEqual([]);
  });

  it("is known by a template of the user's, too, if that says anything", () => {
    const template = "# {{heading}}\n\n## Ours\n\n{{why}}{{overview}}\n";
    const { plan: own } = checkDraft(ANSWER, draftRules({ template }));
    expect(revise(own ?? "", ANSWER, template).notes).toEqual([]);
    expect(revise(`# Mine\n\n\`\`\`yaml\n${STAGES}\`\`\`\n`, ANSWER, "{{plan}}").notes).toHaveLength(2);
  });
});

describe("what people chose for the whole plan", () => {
  const fields = "merge: { mode: review }\n  max_parallel: 2\n  budget: { cost_usd: 5, tokens: 1000 }";
  const sandboxSpec = "sandbox: { filesystem: { deny_read: [secrets/**] } }";
  const withFields = (...lines: string[]): string =>
    ANSWER.replace("version: 1\n", `version: 1\n  ${lines.join("\n  ")}\n`);
  const before = planIn(withFields(fields, sandboxSpec));
  const problems = (text: string): readonly string[] =>
    checkDraft(text, draftRules({ amends: before, mode: "suggestive" })).problems;

  it("can't be lifted by a planner that changes the plan", () => {
    expect(problems(ANSWER)).toMatchInlineSnapshot(`
      [
        "The plan had \`merge: {"mode":"review"}\`, which a planner can't lift. Write it as it was.",
        "The plan had \`max_parallel: 2\`, which a planner can't lift. Write it as it was.",
        "The plan had \`budget: {"tokens":1000,"cost_usd":5}\`, which a planner can't lift. Write it as it was.",
        "The plan had \`sandbox: {"filesystem":{"deny_read":["secrets/**"]}}\`, which a planner can't lift. Write it as it was.",
      ]
    `);
    expect(problems(withFields(fields, sandboxSpec))).toEqual([]);
    const more = fields.replace("max_parallel: 2", "max_parallel: 3").replace("tokens: 1000", "tokens: 2000");
    expect(problems(withFields(more, sandboxSpec))).toHaveLength(2);
  });

  it("may be asked for with more care", () => {
    const less = fields.replace("max_parallel: 2", "max_parallel: 1").replace("cost_usd: 5", "cost_usd: 4");
    expect(problems(withFields(less, sandboxSpec))).toEqual([]);
    const review = withFields("merge: { mode: review }", "max_parallel: 2", "budget: { cost_usd: 5 }");
    expect(checkDraft(review, draftRules({ amends: planIn(`${PROSE}${ANSWER}`) })).problems).toEqual([]);
  });
});
