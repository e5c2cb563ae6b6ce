import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { questionIn } from "../../../../src/adapters/harness/cli/question.ts";

describe("questionIn", () => {
  it("finds the section with which a text ends", () => {
    const text = "I looked at both.\n\n## Question\n\nWhich database?\n\n- a: SQLite\n- b: PostgreSQL\n";
    expect(questionIn(text)).toMatchInlineSnapshot(`
      "Which database?

      - a: SQLite
      - b: PostgreSQL"
    `);
  });

  it.each([
    ["# Question\nWhich?"],
    ["### Questions:\nWhich?"],
    ["## **Question**\nWhich?"],
    ["## Question ##\nWhich?"],
    ["## Question: Which?"],
    ["**Question**: Which?"],
    ["**Question:** Which?"],
    ["__Question__\n\nWhich?"],
    ["**question**\r\nWhich?"],
    ["## Question\nFirst?\n\n## Question\nWhich?"],
  ])("takes %j", (text) => {
    expect(questionIn(`Done.\n\n${text}\n`)).toBe("Which?");
  });

  it.each([
    ["Should I go on?"],
    ["The question is open.\nWhich?"],
    ["Question: Which?"],
    ["## Question of style\nWhich?"],
    ["## Question\n\n"],
    ["## Question\nNone."],
    ["## Question\n- n/a"],
    ["> ## Question\n> Which?"],
    ["    ## Question\n    Which?"],
    ["```\n## Question\nWhich?\n```\n"],
    ["~~~md\n## Question\nWhich?\n```\nstill inside\n"],
    ["## Question\nWhich?\n\n## Task Report\nI chose a."],
    ["**Question**: Which?\n\n### Answer\nThe first."],
  ])("takes %j for no question", (text) => {
    expect(questionIn(text)).toBeNull();
  });

  it("keeps code and deeper headings that belong to the question", () => {
    const text = "## Question\nThis one?\n### Option a\n```\n# Question\n```\n``` `x` ``` inline";
    expect(questionIn(text)).toBe(text.slice("## Question\n".length));
  });

  it("cuts what is too long and says so", () => {
    const question = questionIn(`## Question\n${"x".repeat(10_000)}`);
    expect(question?.slice(3_990)).toMatchInlineSnapshot(`"xxxxxxxxx… (6001 characters cut)"`);
  });

  it("takes controls out", () => {
    expect(questionIn("## Question\n\u001b]0;title\u0007Which?\u0000")).toBe("Which?");
  });

  it("never throws and is never empty", () => {
    const piece = fc.constantFrom("## Question", "**Question**:", "```", "~~~~", "# A", "text", "", " ");
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string())), (lines) => {
        expect(questionIn(lines.join("\n"))).not.toBe("");
      }),
    );
  });
});
