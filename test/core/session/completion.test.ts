import { describe, expect, it } from "vitest";
import { type Completion, judgeCompletion, parseCompletion } from "../../../src/core/session/completion.ts";

const block = (content: string): string => `All done.\n\n\`\`\`loom-completion\n${content}\n\`\`\`\n`;

describe("the completion block", () => {
  it("is YAML or JSON", () => {
    expect(
      parseCompletion(block("status: Complete\nsummary: It works.\nevidence:\n  - 'npm test: 3 passed'")),
    ).toEqual({ kind: "valid", status: "complete", summary: "It works.", evidence: ["npm test: 3 passed"] });
    expect(parseCompletion(block('{"status": "blocked", "summary": "No key.", "evidence": "none"}'))).toEqual(
      {
        kind: "valid",
        status: "blocked",
        summary: "No key.",
        evidence: ["none"],
      },
    );
  });

  it("counts when it is the last one, and also when its fence was never closed", () => {
    const text = `${block("status: partial\nsummary: half")}\n\`\`\`loom-completion\nstatus: complete\nsummary: whole\n`;
    expect(parseCompletion(text)).toMatchObject({ status: "complete", summary: "whole" });
  });

  it("does not count inside of another block", () => {
    expect(parseCompletion(`\`\`\`\`text\n${block("status: complete\nsummary: x")}\`\`\`\`\n`)).toEqual({
      kind: "none",
    });
    expect(parseCompletion("I am done.")).toEqual({ kind: "none" });
  });

  it("says what is wrong with it", () => {
    const problems = [
      "",
      "done",
      "status: ok\nsummary: x",
      "status: complete",
      "a: [",
      "status: complete\nsummary: [x]",
    ]
      .map((content) => parseCompletion(block(content)))
      .map((parsed) => (parsed.kind === "invalid" ? parsed.problem : parsed.kind));
    expect(problems).toMatchInlineSnapshot(`
      [
        "the block is no YAML mapping with \`status\` and \`summary\`",
        "the block is no YAML mapping with \`status\` and \`summary\`",
        "\`status\` has to be \`complete\`, \`partial\` or \`blocked\`",
        "\`summary\` is missing: one or two sentences about what was done",
        "the block is no YAML mapping with \`status\` and \`summary\`",
        "\`summary\` is missing: one or two sentences about what was done",
      ]
    `);
  });

  it("is bounded", () => {
    const evidence = Array.from({ length: 90 }, () => `  - ${"e".repeat(150)}`).join("\n");
    const parsed = parseCompletion(
      block(`status: complete\nsummary: ${"s".repeat(3_000)}\nevidence:\n${evidence}`),
    );
    expect(parsed).toMatchObject({
      kind: "valid",
      summary: expect.stringContaining("(2000 more characters)"),
    });
    expect(parsed.kind === "valid" && parsed.evidence).toHaveLength(20);
    expect(parseCompletion(block(`status: ${"x".repeat(30_000)}`)).kind).toBe("invalid");
  });
});

describe("the completion contract", () => {
  const cases: readonly Completion[] = [
    { kind: "none" },
    { kind: "invalid", problem: "`status` is missing" },
    { kind: "valid", status: "complete", summary: "It works.", evidence: [] },
    { kind: "valid", status: "partial", summary: "The tests are left.", evidence: [] },
    { kind: "valid", status: "blocked", summary: "Which of the two servers?", evidence: [] },
  ];

  it("asks for nothing when it is off", () => {
    for (const one of cases) expect(judgeCompletion("off", one)).toEqual({ kind: "accept", warning: null });
  });

  it("lets everything through with a warning", () => {
    expect(cases.map((one) => judgeCompletion("warn", one))).toMatchInlineSnapshot(`
      [
        {
          "kind": "accept",
          "warning": "The agent did not say whether it is done.",
        },
        {
          "kind": "accept",
          "warning": "The agent's completion block can't be used: \`status\` is missing.",
        },
        {
          "kind": "accept",
          "warning": null,
        },
        {
          "kind": "accept",
          "warning": "The agent says that a part is missing: The tests are left.",
        },
        {
          "kind": "accept",
          "warning": "The agent says that it could not go on: Which of the two servers?",
        },
      ]
    `);
  });

  it("asks the agent again, or a person when the agent is blocked, where it is enforced", () => {
    expect(cases.map((one) => judgeCompletion("enforce", one))).toMatchInlineSnapshot(`
      [
        {
          "kind": "ask-again",
          "problem": "there is no \`loom-completion\` block",
        },
        {
          "kind": "ask-again",
          "problem": "\`status\` is missing",
        },
        {
          "kind": "accept",
          "warning": null,
        },
        {
          "kind": "ask-again",
          "problem": "the block says \`partial\`: do what is left of the stage first",
        },
        {
          "kind": "ask-person",
          "question": "I can't go on: Which of the two servers?",
        },
      ]
    `);
  });
});
