import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { composeHandOff, filesInDiff } from "../../../src/core/session/compose-hand-off.ts";
import { type HandOff, parseHandOff, renderHandOff } from "../../../src/core/session/hand-off.ts";

const FRONT = `---
version: 2
session_id: "basket-1"
stage_id: "basket"
context_percent: 66.04
completed_tasks:
  - description: "The sum"
    files: ["src/sum.ts"]
  - Tests
key_decisions:
  - decision: "Cents"
    rationale: "No rounding"
remaining:
  - "Empty baskets"
---`;

const BODY = "Run `npm test` first.\n\n---\n\nThe rest is plain.";

const EXPECTED: HandOff = {
  version: 2,
  sessionId: "basket-1",
  stageId: "basket",
  contextPercent: 66,
  completedTasks: [
    { description: "The sum", files: ["src/sum.ts"] },
    { description: "Tests", files: [] },
  ],
  keyDecisions: [{ decision: "Cents", rationale: "No rounding" }],
  remaining: ["Empty baskets"],
  body: BODY,
  by: "agent",
};

describe("a hand-off document", () => {
  it("is read from front matter and prose", () => {
    expect(parseHandOff(`${FRONT}\n\n${BODY}\n`)).toEqual(EXPECTED);
  });

  it.each([
    ["in a code block of its own", `\`\`\`yaml\n${FRONT}\n\`\`\`\n\n${BODY}`],
    [
      "in a code block without dashes",
      `\`\`\`yaml\n${FRONT.replaceAll("---\n", "").replace("\n---", "")}\n\`\`\`\n${BODY}`,
    ],
    ["in one block with the prose", `\`\`\`markdown\n${FRONT}\n${BODY}\n\`\`\``],
    ["with carriage returns", `${FRONT}\n${BODY}`.replaceAll("\n", "\r\n")],
  ])("may come %s", (_, text) => {
    expect(parseHandOff(text)).toEqual(EXPECTED);
  });

  it("may begin with a sentence, which becomes part of the prose", () => {
    expect(parseHandOff(`Here it is:\n\n${FRONT}\n${BODY}`)).toEqual({
      ...EXPECTED,
      body: `Here it is:\n\n${BODY}`,
    });
  });

  it("may be prose alone, whose next steps are found", () => {
    const text = "# Hand-off\n\nI did a lot.\n\n## Next steps\n\n1. Test it\n- [ ] Ship it\n\n## Else\n- no";
    expect(parseHandOff(text)).toMatchObject({
      sessionId: "",
      completedTasks: [],
      remaining: ["Test it", "Ship it"],
      body: text,
    });
  });

  it("keeps front matter that is no YAML as prose, and nothing as nothing", () => {
    const broken = "---\nversion: 2\nkey_decisions: [\n---\nGo on.";
    expect(parseHandOff(broken)).toMatchObject({ keyDecisions: [], body: broken });
    expect(parseHandOff("---\ntitle: A note\n---\nGo on.")?.body).toContain("title: A note");
    expect(parseHandOff(" \n")).toBeNull();
  });

  it("is written as front matter and prose", () => {
    expect(renderHandOff(EXPECTED)).toMatchInlineSnapshot(`
      "---
      version: 2
      session_id: basket-1
      stage_id: basket
      context_percent: 66
      written_by: agent
      completed_tasks:
        - description: The sum
          files:
            - src/sum.ts
        - description: Tests
          files: []
      key_decisions:
        - decision: Cents
          rationale: No rounding
      remaining:
        - Empty baskets
      ---

      Run \`npm test\` first.

      ---

      The rest is plain.
      "
    `);
  });

  it("is the same after it was written and read again, whatever it says", () => {
    const line = fc
      .oneof(
        fc.string(),
        fc.constantFrom("yes", "12", "null", "a: b", "# x", "---", "- x", "{", "'", '"', "| x"),
      )
      .map((text) => text.replace(/[^\x20-\x7e]|\s+/g, " ").trim())
      .filter((text) => text !== "");
    const prose = fc.array(line, { maxLength: 5 }).map((lines) => lines.join("\n"));
    fc.assert(
      fc.property(
        fc.record({
          version: fc.constant(2 as const),
          sessionId: line,
          stageId: line,
          contextPercent: fc.integer({ min: 0, max: 100 }),
          completedTasks: fc.array(fc.record({ description: line, files: fc.array(line, { maxLength: 3 }) })),
          keyDecisions: fc.array(fc.record({ decision: line, rationale: line })),
          remaining: fc.array(line, { minLength: 1 }),
          body: prose,
          by: fc.constantFrom("agent" as const, "loom" as const),
        }),
        (handOff) => {
          expect(parseHandOff(renderHandOff(handOff))).toEqual(handOff);
        },
      ),
    );
  });

  it("is never more than so much, whatever an agent says", () => {
    const piece = fc.constantFrom(
      "---\n",
      "version: 2\n",
      "```yaml\n",
      "remaining:\n",
      "  - x\n",
      "&a [*a]\n",
      "x".repeat(9_000),
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 40 }), (pieces) => {
        expect(JSON.stringify(parseHandOff(pieces.join(""))).length).toBeLessThan(150_000);
      }),
    );
    const many = `---\nversion: 2\nremaining:\n${"  - x\n".repeat(1_000)}---\n${"y".repeat(50_000)}`;
    const parsed = parseHandOff(many);
    expect(parsed?.remaining).toHaveLength(50);
    expect(parsed?.body.slice(-30)).toBe("yy\n… (34000 more characters)".padStart(30, "y"));
  });
});

describe("a hand-off that Loom writes", () => {
  it("tells what the session did last, what it changed and what it said", () => {
    const handOff = composeHandOff({
      session: "basket-1",
      stage: "basket",
      contextPercent: 66.66,
      events: [
        ...Array.from({ length: 40 }, (_, at) => ({ kind: "tool", text: `cat ${at}.ts` }) as const),
        { kind: "tool", text: "npm test\n--watch" },
        { kind: "text", text: "One test is red." },
      ],
      diff: "diff --git a/src/sum.ts b/src/sum.ts\n--- a/src/sum.ts\n+++ b/src/sum.ts\n@@ -1 +1 @@\n-1\n+2\n",
      lastText: "I am going to look at ```rounding``` now.",
    });
    expect(renderHandOff(handOff).replace(/(?:ran: cat \d+\.ts\n)+/, "ran: cat …\n")).toMatchInlineSnapshot(`
      "---
      version: 2
      session_id: basket-1
      stage_id: basket
      context_percent: 66.7
      written_by: loom
      completed_tasks:
        - description: Changed 1 file, not checked yet
          files:
            - src/sum.ts
      key_decisions: []
      remaining:
        - Compare what is in the work tree with the stage, then finish it.
      ---

      Loom wrote this: the session before could not be asked for it. It is what the session did, not what it thought.

      The last 40 steps, after 2 others:

      \`\`\`text
      ran: cat …
      ran: npm test --watch
      said: One test is red.
      \`\`\`

      Its last words:

      \`\`\`\`text
      I am going to look at \`\`\`rounding\`\`\` now.
      \`\`\`\`
      "
    `);
    expect(handOff.by).toBe("loom");
  });

  it("does without all of it", () => {
    const nothing = { events: [], diff: "", lastText: null };
    const handOff = composeHandOff({ session: "a", stage: "b", contextPercent: 0, ...nothing });
    expect(handOff).toMatchObject({ completedTasks: [], keyDecisions: [] });
    expect(parseHandOff(renderHandOff(handOff))).toEqual(handOff);
  });

  it("finds the files in a diff: new, gone, renamed, binary, with odd names, and none in changed lines", () => {
    const diff = [
      "diff --git a/new.ts b/new.ts",
      "new file mode 100644",
      "--- /dev/null",
      "+++ b/new.ts",
      "@@ -0,0 +1,2 @@",
      "+++ b/not-a-file.ts",
      "diff --git a/gone.ts b/gone.ts",
      "deleted file mode 100644",
      "--- a/gone.ts",
      "+++ /dev/null",
      "@@ -1 +0,0 @@",
      "diff --git a/old name.ts b/new name.ts",
      "similarity index 100%",
      "rename from old name.ts",
      "rename to new name.ts",
      "diff --git a/logo.png b/logo.png",
      "Binary files a/logo.png and b/logo.png differ",
    ].join("\n");
    expect(filesInDiff(diff)).toEqual(["new.ts", "gone.ts", "new name.ts", "logo.png"]);
  });
});
