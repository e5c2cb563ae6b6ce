import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parsePlan } from "../../../../src/core/plan/read/parse-plan.ts";
import {
  type PlannerAnswer,
  readPlannerAnswer,
} from "../../../../src/core/planning/answers/read-planner-answer.ts";
import { propertyRuns } from "../../../support/property-runs.ts";
import { quickly } from "../../../support/quickly.ts";
import { ANSWER, PROSE, STAGES } from "../planning-values.ts";

function idsOf(answer: PlannerAnswer): string[] {
  if (answer.kind !== "plan") throw new Error(JSON.stringify(answer));
  const { plan, problems } = parsePlan(answer.document, { origin: "loom" });
  if (!plan) throw new Error(JSON.stringify(problems));
  return plan.stages.map(({ id }) => id);
}

const IDS = ["parse-limits", "enforce-limits", "document-limits"];
const SECTIONS = {
  why: "The limits come first, because both others need them.",
  outOfScope: "- Limits per user",
  risks: "- `enforce-limits` could slow down every request.",
};

describe("a planner's plan", () => {
  it.each([
    ["as it was asked for", ANSWER],
    ["with talk around it", `Sure! Here is the plan.\n\n${ANSWER}\nLet me know what you think.`],
    [
      "inside of a block of Markdown with the same fence",
      `Here:\n\n\`\`\`markdown\n${ANSWER}\`\`\`\n\nDone.`,
    ],
    ["inside of a block of Markdown with a longer fence", `\`\`\`\`md\n${ANSWER}\`\`\`\`\n`],
    ["inside of a block without a name", `\`\`\`\n${ANSWER}\`\`\`\n`],
    ["with tildes", `${PROSE}\n~~~yaml\n${STAGES}~~~\n`],
    ["without the word yaml", `${PROSE}\n\`\`\`\n${STAGES}\`\`\`\n`],
    ["with Windows line ends", ANSWER.replaceAll("\n", "\r\n")],
    ["with an indented block", `${PROSE}\n${`\`\`\`yaml\n${STAGES}\`\`\`\n`.replaceAll(/^(?=.)/gm, "  ")}`],
    ["with the block first", `\`\`\`yaml\n${STAGES}\`\`\`\n\n${PROSE}`],
    ["with bold titles", ANSWER.replaceAll(/^## (.*)$/gm, "**$1:**")],
    ["with another heading above", `# The plan\n\n${ANSWER}\n## Closing words\n\nThanks.`],
    [
      "between comments that mark it",
      `${PROSE}\n<!-- loom METADATA -->\n\`\`\`yaml\n${STAGES}\`\`\`\n<!-- END loom METADATA -->\n`,
    ],
    ["never closed", `${PROSE}\n\`\`\`yaml\n${STAGES}`],
  ])("is found %s", (_, text) => {
    const answer = readPlannerAnswer(text);
    expect(idsOf(answer)).toEqual(IDS);
    expect(answer).toMatchObject({ kind: "plan", sections: SECTIONS });
  });

  it("may be bare YAML, without any prose", () => {
    const answer = readPlannerAnswer(`---\n${STAGES}`);
    expect(idsOf(answer)).toEqual(IDS);
    expect(answer).toMatchObject({ sections: { why: "", outOfScope: "", risks: "" } });
  });

  it("keeps fences that stand inside of a description", () => {
    const shown = STAGES.replace(
      "Add readLimits.",
      "|\n        Add this:\n        ```ts\n        readLimits()\n        ```",
    );
    const answer = readPlannerAnswer(`${PROSE}\n\`\`\`yaml\n${shown}\`\`\`\n`);
    const { plan } = parsePlan(answer.kind === "plan" ? answer.document : "", { origin: "loom" });
    expect(plan?.stages[0]?.description).toBe("Add this:\n```ts\nreadLimits()\n```\n");
  });
});

describe("an answer that is no plan", () => {
  it.each([
    ["nothing", "", "The answer is empty. Answer with the plan."],
    [
      "mere words",
      "I can't do that.",
      "The answer holds no plan: there is no code fence marked `yaml` with `loom:` on its top level.",
    ],
    [
      "two plans",
      `${ANSWER}\nOr else:\n\n\`\`\`yaml\n${STAGES}\`\`\`\n`,
      "There are 2 blocks with `loom:`, and only one can be the plan. Answer again with one block with `loom:`, and with no other example of a plan.",
    ],
    [
      "a plan and questions",
      `${ANSWER}\n\`\`\`yaml\nloom_questions:\n  complexity: simple\n\`\`\`\n`,
      "The answer holds a plan and questions. Give either a plan or questions, not both.",
    ],
    [
      "a plan outside of a fence",
      `Here it is:\n\n${STAGES}`,
      "The `loom:` block stands outside of a code fence. Put it into one that is marked `yaml`.",
    ],
    [
      "questions that are no YAML",
      "```yaml\nloom_questions:\n  questions:\n    - question: Use: this: one\n```",
      "The block with `loom_questions:` is not readable as YAML. Put texts with a colon between quotes.",
    ],
    [
      "questions that are a word",
      "```yaml\nloom_questions: later\n```",
      "`loom_questions:` has to hold `complexity`, `why` and `questions`.",
    ],
    [
      "questions without any",
      "```yaml\nloom_questions:\n  why: x\n```",
      "`loom_questions:` says neither how complex the task is nor what to ask. Write `complexity` and `questions`.",
    ],
  ])("is told what is wrong: %s", (_, text, problem) => {
    expect(readPlannerAnswer(text)).toEqual({ kind: "neither", problem });
  });

  it("is refused when it is endless", () => {
    expect(readPlannerAnswer("x".repeat(400_001)).kind).toBe("neither");
  });
});

describe("an assessment", () => {
  it("has questions with options and a default, said as letter, number or words", () => {
    const text = `I need to know more.

\`\`\`yaml
loom_questions:
  complexity: Complex
  why: "Three services read sessions."
  questions:
    - question: "Where are they kept?"
      options: [Redis, Postgres]
      default: b
      why: "It decides what is migrated."
    - { question: "How long?", options: ["1 day", "1 week"], default: 2 }
    - { question: "Which format?", options: { a: JSON, b: CBOR }, default: cbor }
    - { question: "Who may see them?", default: "Admins only" }
    - { question: "In which order?", options: [{ label: "Old first" }, "b) New first"] }
    - "Anything else?"
\`\`\`
`;
    expect(readPlannerAnswer(text)).toMatchInlineSnapshot(`
      {
        "complexity": "complex",
        "kind": "assessment",
        "questions": [
          {
            "options": [
              "Redis",
              "Postgres",
            ],
            "text": "Where are they kept?",
            "usual": "Postgres",
            "why": "It decides what is migrated.",
          },
          {
            "options": [
              "1 day",
              "1 week",
            ],
            "text": "How long?",
            "usual": "1 week",
            "why": "",
          },
          {
            "options": [
              "JSON",
              "CBOR",
            ],
            "text": "Which format?",
            "usual": "CBOR",
            "why": "",
          },
          {
            "options": [],
            "text": "Who may see them?",
            "usual": "Admins only",
            "why": "",
          },
          {
            "options": [
              "Old first",
              "New first",
            ],
            "text": "In which order?",
            "usual": "Old first",
            "why": "",
          },
          {
            "options": [],
            "text": "Anything else?",
            "usual": "Whatever fits the project best.",
            "why": "",
          },
        ],
        "why": "Three services read sessions.",
      }
    `);
    expect(readPlannerAnswer(text, { maxQuestions: 2 })).toMatchObject({ questions: [{}, {}] });
  });

  it.each([
    ["in a fence", "```yaml\n", "```\n"],
    ["without one", "", ""],
  ])("has no more questions than the depth allows, %s", (_, open, close) => {
    const text = `${open}loom_questions:\n  complexity: complex\n  questions: ["One?", "Two?", "Three?"]\n${close}`;
    expect(readPlannerAnswer(text, { maxQuestions: 2 })).toMatchObject({
      questions: [{ text: "One?" }, { text: "Two?" }],
    });
  });

  it("is bounded", () => {
    const options = Array.from({ length: 20 }, (_, index) => `option number ${index}`);
    const questions = Array.from({ length: 12 }, (_, index) => ({
      question: `${index} ${"x".repeat(900)}`,
      options,
      default: "z".repeat(900),
      why: "y".repeat(900),
    }));
    const block = JSON.stringify({ loom_questions: { complexity: "medium", questions } });
    const answer = readPlannerAnswer(`\`\`\`json\n${block}\n\`\`\``);
    expect(answer.kind === "assessment" && answer.questions.length).toBe(8);
    expect(answer.kind === "assessment" && answer.questions[0]?.options.length).toBe(6);
    expect(JSON.stringify(answer).length).toBeLessThan(25_000);
  });
});

describe("any text", () => {
  const piece = fc.constantFrom(
    "```",
    "````",
    "~~~",
    "```yaml",
    "```markdown",
    "loom:",
    "loom_questions:",
    "  version: 1",
    "  stages: []",
    "## Why these stages",
    "## Risks",
    "**Risks**",
    "<!--",
    "-->",
    "---",
    "text",
    "&a *a",
    "{ loom: ",
  );
  it("is read without an error, in linear time", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string({ maxLength: 8 })), { maxLength: 40 }), (lines) => {
        expect(["plan", "assessment", "neither"]).toContain(readPlannerAnswer(lines.join("\n")).kind);
      }),
      { numRuns: propertyRuns(3) },
    );
    for (const unit of [
      "```markdown\n",
      "```\n",
      "```yaml\nloom:\n",
      "**",
      "## Why\n",
      "<!--",
      "- [",
      "`",
      "loom:\n",
    ]) {
      quickly(4_000, () => readPlannerAnswer(unit.repeat(Math.floor(390_000 / unit.length))));
    }
  });
});
