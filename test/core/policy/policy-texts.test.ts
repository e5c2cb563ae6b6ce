import { expect, it } from "vitest";
import type { Judgement } from "../../../src/core/policy/judgement.ts";
import { describeJudgement, policyTexts } from "../../../src/core/policy/policy-texts.ts";

it("the log names what was judged and why", () => {
  const judgements: Judgement[] = [
    { kind: "allow" },
    { kind: "deny", reason: policyTexts.denied("git push", "Loom pushes.") },
    { kind: "ask", question: policyTexts.question("echo a > b", ["It may overwrite."]) },
  ];
  const lines = judgements.map((one) =>
    describeJudgement({ tool: "Bash", command: "echo a > b; git push" }, one),
  );
  expect([
    ...lines,
    describeJudgement({ tool: "Write", command: null }, { kind: "allow" }),
  ]).toMatchInlineSnapshot(`
    [
      "Allowed \`echo a > b; git push\`.",
      "Denied \`echo a > b; git push\`. Loom did not run \`git push\`. Loom pushes.",
      "Asked: May the agent run \`echo a > b\`? It may overwrite. Answer yes to allow it, or say what to do instead.",
      "Allowed Write.",
    ]
  `);
});

it("an agent that has to wait is told so", () => {
  expect(policyTexts.waiting("May I?")).toMatchInlineSnapshot(
    `"Loom asks a person first and goes on with the answer. Stop here, and do not try the same in another way. The question: May I?"`,
  );
});

it("the log stays one line, whatever the command holds", () => {
  const line = describeJudgement({ tool: "Bash", command: "a\n\u001b[31m`b`\r\n" }, { kind: "allow" });
  expect(line).toMatchInlineSnapshot(`"Allowed \`a 'b'\` [f993996c7c043a1a]."`);
});
