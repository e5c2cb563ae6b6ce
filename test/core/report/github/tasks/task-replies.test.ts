import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseCommands } from "../../../../../src/core/command/parse-commands.ts";
import { byteLength, MAX_COMMENT } from "../../../../../src/core/markdown/cut-markdown.ts";
import { strikeFindings } from "../../../../../src/core/report/github/tasks/finding-sections.ts";
import {
  type AuditCounts,
  costFooter,
  taskReplies,
} from "../../../../../src/core/report/github/tasks/task-replies.ts";
import type { AuditResult, Finding } from "../../../../../src/core/task/task-events.ts";
import { propertyRuns } from "../../../../support/property-runs.ts";
import { expectInert, hostile, render } from "../hostile-text.ts";

const LINKS = { blob: "https://github.com/octo/shop/blob/0123abc" };

const FINDING: Finding = {
  id: "F1",
  severity: "high",
  title: "The discount is taken twice",
  body: "`sum` subtracts it, and so does `cents` (src/price.ts:12).\n\n- see #12\n- ask @sam",
  file: "src/basket/sum (1).ts",
  line: 41,
  endLine: 43,
  suggestion: "  return net;",
};
const LOOSE: Finding = {
  ...FINDING,
  id: "F2",
  severity: "info",
  title: "No licence",
  body: "",
  file: null,
  line: null,
  endLine: null,
  suggestion: null,
};
const RESULT: AuditResult = {
  summary: "Read all of it.",
  findings: [FINDING, LOOSE],
  earlier: [],
  notes: ["The text of 1 finding was too long and is cut."],
};
const PLACED = {
  finding: FINDING,
  path: "src/basket/sum (1).ts",
  startLine: 41,
  line: 43,
  shortened: false,
  suggestion: FINDING.suggestion,
};
const NONE: AuditCounts = {
  reviewed: false,
  fresh: 0,
  updated: 0,
  standing: 0,
  settled: 0,
  resolved: 0,
  fixed: 0,
  unsaid: 0,
  refused: 0,
};
const ALLOWED = "p br ul ol li h4 h5 h6 strong em pre code blockquote table thead tbody tr th td sub".split(
  " ",
);

describe("what people read of tasks", () => {
  it("while an agent is at work, and when it comes to nothing", () => {
    const texts = [
      taskReplies.started("review", "claude"),
      taskReplies.started("ask", "codex"),
      taskReplies.busy("security-audit"),
      taskReplies.failed("review", {
        reason: "The harness `claude` is not installed.",
        evidence: null,
        next: "Install it, then ask again.",
      }),
      taskReplies.failed("ask", { reason: "Nobody is signed in.", evidence: " \n", next: "" }),
      taskReplies.failed("plan", { reason: "Its budget of $2.00 is used up.", evidence: null, next: "" }),
      taskReplies.failed("revise", { reason: "Its time of 1s is used up.", evidence: null, next: "" }),
      taskReplies.cancelled("sam"),
      taskReplies.cancelling(1),
      taskReplies.cancelling(2),
      taskReplies.status([
        { kind: "review", assessment: null, answers: null },
        {
          kind: "plan",
          assessment: {
            complexity: "complex",
            why: "",
            questions: [{ text: "?", options: [], usual: "", why: "" }],
            refusedBefore: 0,
          },
          answers: null,
        },
      ]),
    ];
    for (const text of texts) expect(parseCommands(text).items).toEqual([]);
    expect(texts.join("\n")).toMatchInlineSnapshot(`
      "\`claude\` is at work on the review. What it finds will appear here.
      \`codex\` is at work on the answer. It will appear here.
      An agent is at work on the security audit here already. Ask again once it is done.
      The review failed. The harness \`claude\` is not installed. Install it, then ask again.
      There is no answer. Nobody is signed in.
      There is no plan. Its budget of &#36;2.00 is used up.
      The plan was not changed. Its time of 1s is used up.
      Cancelled by sam. Nothing was changed.
      Cancelled. The agent is being stopped.
      Cancelled. 2 agents are being stopped.
      - An agent is at work on the review.
      - The plan waits for answers to the questions above."
    `);
  });

  it("with the end of what the agent wrote before it failed, in a block that it can't leave", () => {
    const wrote = `${"Reading.\n".repeat(40)}\n\u001b[31mPlease log in first\u001b[0m\n\`\`\`\n@team, closes #1\n`;
    const text = taskReplies.failed("plan", {
      reason: "The agent ended with exit code 3.",
      evidence: wrote,
      next: "`/loom run` tries again.",
    });
    expect(text.replace(/(?:Reading\.\n){2,}/, "Reading. …\n")).toMatchInlineSnapshot(`
      "There is no plan. The agent ended with exit code 3.

      The end of its output:

      \`\`\`\`text
      Reading. …
      Please log in first
      \`\`\`
      @team, closes #​1
      \`\`\`\`

      \`/loom run\` tries again."
    `);
    expect(render(text).tags.filter((tag) => tag === "pre")).toHaveLength(2);
    const long = taskReplies.failed("ask", { reason: "It failed.", evidence: "x".repeat(9_000), next: "" });
    expect(long).toContain("(7000 bytes before this left out)");
    expect(long.length).toBeLessThan(2_200);
  });

  it("as an answer", () => {
    expect(
      taskReplies.answered("Where are prices rounded? @team", "In **`cents`**.\n\n```ts\ncents(1);\n```"),
    ).toMatchInlineSnapshot(`
      "> Where are prices rounded? @&#8203;team

      In **\`cents\`**.

      \`\`\`ts
      cents(1);
      \`\`\`"
    `);
    expect(taskReplies.answered("Why?", " ")).toMatchInlineSnapshot(`
      "> Why?

      The agent ended without an answer. Ask again, in other words."
    `);
  });

  it("as an audit without lines", () => {
    expect(taskReplies.auditOnIssue("security-audit", RESULT, LINKS)).toMatchInlineSnapshot(`
      "**Security audit.** 2 findings (1 high, 1 info).

      Read all of it.

      #### F1 · high · The discount is taken twice ([\`src/basket/sum (1).ts:41-43\`](https://github.com/octo/shop/blob/0123abc/src/basket/sum%20%281%29.ts#L41-L43))

      \`sum\` subtracts it, and so does \`cents\` (src/price.ts:12).

      - see #&#8203;12
      - ask @&#8203;sam

      Instead:

      \`\`\`text
        return net;
      \`\`\`

      #### F2 · info · No licence

      - The text of 1 finding was too long and is cut."
    `);
    expect(
      taskReplies.auditOnIssue("a11y-audit", { ...RESULT, findings: [], notes: [] }, null),
    ).toMatchInlineSnapshot(`
      "**Accessibility audit.** Nothing found.

      Read all of it."
    `);
    expect(
      taskReplies.auditOfOld("review", { ...RESULT, findings: [LOOSE], notes: [] }, null),
    ).toMatchInlineSnapshot(`
      "**Review.** 1 finding (1 info). Commits were pushed meanwhile, so nothing new stands on lines. This is about the commit before them:

      Read all of it.

      #### F2 · info · No licence"
    `);
  });

  it("as a review with remarks on lines", () => {
    expect(
      taskReplies.reviewBody("review", RESULT, { onLines: [PLACED], elsewhere: [LOOSE], refused: [] }, LINKS),
    ).toMatchInlineSnapshot(`
      "**Review.** 2 findings (1 high, 1 info).

      Read all of it.

      Not on a line that this change shows:

      #### F2 · info · No licence"
    `);
    expect(
      taskReplies.reviewBody("review", RESULT, { onLines: [], elsewhere: [], refused: [LOOSE] }, LINKS),
    ).toMatchInlineSnapshot(`
      "**Review.** 1 finding (1 info).

      Read all of it.

      On lines that GitHub takes no remarks on:

      #### F2 · info · No licence"
    `);
    expect(taskReplies.remarkBody(PLACED)).toMatchInlineSnapshot(`
      "**high:** The discount is taken twice

      \`sum\` subtracts it, and so does \`cents\` (src/price.ts:12).

      - see #&#8203;12
      - ask @&#8203;sam

      \`\`\`suggestion
        return net;
      \`\`\`"
    `);
    expect(taskReplies.remarkBody({ ...PLACED, shortened: true, suggestion: null })).toMatchInlineSnapshot(`
      "**high:** The discount is taken twice

      \`sum\` subtracts it, and so does \`cents\` (src/price.ts:12).

      - see #&#8203;12
      - ask @&#8203;sam

      It is about \`src/basket/sum (1).ts:41-43\`."
    `);
    expect(
      taskReplies.remarkBody({ ...PLACED, finding: LOOSE, suggestion: "```js\nfixes #1 @a\n```" }),
    ).toMatchInlineSnapshot(`
      "**info:** No licence

      \`\`\`\`suggestion
      \`\`\`js
      fixes #1 @a
      \`\`\`
      \`\`\`\`"
    `);
  });

  it("as what became of findings", () => {
    const summary = (counts: Partial<AuditCounts>): string =>
      taskReplies.auditSummary("review", { ...RESULT, notes: [] }, { ...NONE, ...counts });
    expect(
      [
        summary({ reviewed: true, fresh: 2 }),
        summary({ reviewed: true, fresh: 1, updated: 1, standing: 3, settled: 1, resolved: 2, unsaid: 1 }),
        summary({ resolved: 1 }),
        summary({ fixed: 2, refused: 1 }),
        summary({}),
      ].join("\n\n---\n\n"),
    ).toMatchInlineSnapshot(`
      "**Review.** Findings: 2 new.

      ---

      **Review.** Findings: 1 new, 1 updated, 3 as before, 1 settled by people, 2 fixed and resolved, 1 not looked at again.

      ---

      **Review.** Findings: 1 fixed and resolved.

      Read all of it.

      ---

      **Review.** Findings: 2 fixed.

      GitHub did not let Loom resolve 1 conversation about what is fixed; people can.

      Read all of it.

      ---

      **Review.** Nothing found.

      Read all of it."
    `);
  });

  it("with how much of a large change the agent saw, wherever that is told", () => {
    const result = { ...RESULT, findings: [], seen: { files: 12, shown: 3, readable: 9 } };
    const fresh = { ...result, findings: [FINDING] };
    const all = [
      taskReplies.nothingFound("review", result),
      taskReplies.auditOnIssue("review", fresh, null),
      taskReplies.auditSummary("review", fresh, { ...NONE, fresh: 1, reviewed: true }),
      taskReplies.auditOfOld("review", fresh, null),
      taskReplies.auditInOne("review", fresh, null, null),
    ].map((text) => text.split("\n").find((line) => line.includes("large")));
    expect(new Set(all)).toMatchInlineSnapshot(`
      Set {
        "- The change is large: of 12 files, the agent was shown 3 diffs in full, could read 6 in a file and was not given all of 3.",
      }
    `);
  });

  it("as an answer in another form", () => {
    expect(taskReplies.unreadable("debug", "It is the cache.\n/loom run", null)).toMatchInlineSnapshot(`
      "**Search for the cause.** The agent did not answer in the form it was asked for, so nothing stands on lines. It wrote:

      It is the cache. /&#8203;loom run"
    `);
    const spent = { reason: "Its budget of $2.00 is used up.", next: "`loom doctor` knows more." };
    expect(taskReplies.unreadable("debug", "It is the cache.", spent)).toMatchInlineSnapshot(`
      "**Search for the cause.** The agent did not answer in the form it was asked for, so nothing stands on lines. Its budget of &#36;2.00 is used up. \`loom doctor\` knows more.

      The agent wrote:

      It is the cache."
    `);
  });

  it("as one comment where it could not be put on lines", () => {
    const result = {
      ...RESULT,
      findings: [{ ...FINDING, id: "F1", title: "Off by one", body: "It skips the last." }],
    };
    expect(taskReplies.auditInOne("review", result, null, null)).toMatchInlineSnapshot(`
      "**Review.** 1 finding (1 high). Something went wrong inside Loom when this was put on lines, so all of it stands here; its operator has been told.

      Read all of it.

      #### F1 · high · Off by one (\`src/basket/sum (1).ts:41-43\`)

      It skips the last.

      Instead:

      \`\`\`text
        return net;
      \`\`\`

      - The text of 1 finding was too long and is cut."
    `);
    expect(taskReplies.auditInOne("review", { ...RESULT, findings: [] }, null, null)).toBe(
      taskReplies.nothingFound("review", { ...RESULT, findings: [] }),
    );
  });

  it("as one comment where people have to know why it stands there", () => {
    const result = { ...RESULT, notes: [] };
    const [first] = taskReplies.auditInOne("review", result, null, "The branch of #4 is gone.").split("\n");
    expect(first).toMatchInlineSnapshot(
      `"**Review.** 2 findings (1 high, 1 info). All of it stands here and not on lines: The branch of #&#8203;4 is gone."`,
    );
    expect(taskReplies.auditOfOld("review", { ...result, findings: [] }, null)).toMatchInlineSnapshot(`
      "**Review.** Nothing found. This is about the commit before those that were pushed meanwhile.

      Read all of it."
    `);
  });

  it("as what it cost", () => {
    const by = new Map([["claude/opus", { inputTokens: 12_345, outputTokens: 1_234, costUsd: 0.12 }]]);
    const usage = { inputTokens: 12_345, outputTokens: 1_234, costUsd: 0.12 };
    const harnesses = ["scripted"];
    expect(
      [
        costFooter({ usage, workedMs: 63_000, usageBy: by, harnesses }),
        costFooter({
          usage: { ...usage, costUsd: null },
          workedMs: 3_900_000,
          usageBy: new Map([...by, ["codex", usage]]),
          harnesses,
        }),
        costFooter({
          usage: { inputTokens: 1_234_567, outputTokens: 0, costUsd: 0.001 },
          workedMs: 900,
          usageBy: by,
          harnesses,
        }),
        costFooter({ usage: null, workedMs: 0, usageBy: new Map(), harnesses }),
      ].join("\n"),
    ).toMatchInlineSnapshot(`
      "<sub>claude/opus · 12,345 tokens in, 1,234 out · &#36;0.12 · 1 min 3 s</sub>
      <sub>claude/opus and codex · 12,345 tokens in, 1,234 out · cost unknown · 1 h 5 min</sub>
      <sub>claude/opus · 1,234,567 tokens in, 0 out · less than &#36;0.01 · 1 s</sub>
      <sub>scripted · tokens not reported · cost unknown · 0 s</sub>"
    `);
  });

  it("does nothing, whatever an agent wrote", () => {
    fc.assert(
      fc.property(hostile, hostile, hostile, (a, b, c) => {
        const finding: Finding = {
          ...FINDING,
          id: "F1",
          title: a || "t",
          body: b,
          file: c || null,
          suggestion: null,
        };
        const result: AuditResult = { summary: c, findings: [finding], earlier: [], notes: [a] };
        for (const text of [
          taskReplies.answered(a, b),
          taskReplies.auditOnIssue("review", result, null),
          taskReplies.reviewBody(
            "review",
            result,
            { onLines: [], elsewhere: [finding], refused: [finding] },
            null,
          ),
          taskReplies.remarkBody({ finding, shortened: true, suggestion: null }),
          taskReplies.auditSummary("review", result, { ...NONE, fresh: 1 }),
          taskReplies.auditInOne("review", result, null, a),
          taskReplies.unreadable("review", b, null),
          taskReplies.unreadable("review", b, { reason: a, next: b }),
          taskReplies.failed("review", { reason: a, evidence: null, next: b }),
          taskReplies.failed("plan", { reason: a, evidence: c, next: b }),
          taskReplies.cancelled(a),
          costFooter({
            usage: null,
            workedMs: 0,
            usageBy: new Map([[a, { inputTokens: 0, outputTokens: 0, costUsd: null }]]),
            harnesses: [b],
          }),
        ]) {
          expectInert(text, ALLOWED);
        }
        const linked = render(taskReplies.auditOnIssue("review", result, LINKS));
        expect(linked.tags.filter((tag) => ![...ALLOWED, "a"].includes(tag))).toEqual([]);
        expect(linked.tags.filter((tag) => tag === "a").length).toBeLessThanOrEqual(2);
        const offered = render(
          `${taskReplies.remarkBody({ finding: { ...FINDING, title: "t", body: "" }, shortened: false, suggestion: a || "x" })}\n\nend`,
        );
        expect(offered.tags.filter((tag) => tag === "pre")).toHaveLength(2);
        expect(offered.text.trim().endsWith("end")).toBe(true);
      }),
      { numRuns: propertyRuns(3) },
    );
  });

  it("strikes what is fixed by now, once", () => {
    const content = { onLines: [], elsewhere: [LOOSE, { ...LOOSE, id: "F3" }], refused: [] };
    const struck = strikeFindings(taskReplies.reviewBody("review", RESULT, content, LINKS), ["F2"]);
    expect(struck.split("\n").filter((line) => line.startsWith("####"))).toMatchInlineSnapshot(`
      [
        "#### ~~F2 · info · No licence~~ · fixed",
        "#### F3 · info · No licence",
      ]
    `);
    expect(strikeFindings(struck, ["F2"])).toBe(struck);
  });

  it("tells all findings, each of them shorter where they are many", () => {
    const many = Array.from({ length: 50 }, (_, n) => ({
      ...FINDING,
      id: `F${n}`,
      body: "word ".repeat(700),
    }));
    const content = { onLines: [], elsewhere: many, refused: [] };
    const text = taskReplies.reviewBody("review", { ...RESULT, findings: many }, content, LINKS);
    expect(text.match(/^#### F\d+ /gm)).toHaveLength(50);
    expect(text.match(/^… \(\d+ more characters\)$/gm)).toHaveLength(50);
    expect(byteLength(text)).toBeLessThan(MAX_COMMENT);
  });

  it("fits a comment", () => {
    const many = Array.from({ length: 50 }, (_, n) => ({
      ...FINDING,
      id: `F${n}`,
      body: "wörd @x ".repeat(500),
    }));
    const result = { ...RESULT, findings: many };
    for (const text of [
      taskReplies.auditOnIssue("review", result, LINKS),
      taskReplies.reviewBody("review", result, { onLines: [], elsewhere: many, refused: [] }, LINKS),
      taskReplies.answered("q", "@ä ".repeat(60_000)),
      taskReplies.unreadable("review", "```\nx\n".repeat(60_000), null),
    ]) {
      expect(byteLength(text)).toBeLessThan(MAX_COMMENT - 1_000);
      expect(text).toMatch(/more characters/);
    }
  });
});
