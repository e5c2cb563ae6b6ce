import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_COMMENT } from "../../../../../src/core/markdown/cut-markdown.ts";
import type { Plan } from "../../../../../src/core/plan/plan.ts";
import { parsePlan } from "../../../../../src/core/plan/read/parse-plan.ts";
import { amendReplies } from "../../../../../src/core/report/github/plan/amend-replies.ts";
import { planDiff } from "../../../../../src/core/report/terminal/plan-diff.ts";
import { textDiff } from "../../../../../src/core/text/text-diff.ts";
import { planText, type StageFields } from "../../../../support/plan-text.ts";
import { propertyRuns } from "../../../../support/property-runs.ts";

function planOf(stages: readonly StageFields[], fields: Record<string, unknown> = {}): Plan {
  const { plan, problems } = parsePlan(planText(stages, fields), { origin: "elsewhere" });
  if (!plan) throw new Error(problems[0]?.message);
  return plan;
}

const BEFORE = planOf([
  { id: "core" },
  { id: "api", dependencies: ["core"], acceptance: ["npm test"] },
  { id: "docs" },
]);
const AFTER = planOf(
  [
    { id: "core" },
    {
      id: "api",
      dependencies: ["core"],
      acceptance: ["npm test", "npm run lint"],
      description: "Do @mia's api.",
    },
    { id: "help", name: "Write the help", dependencies: ["api"] },
  ],
  { max_parallel: 2, gate: [] },
);
const HEAD = "1a2b3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b9c0d";
const APPROVAL = { label: "loom: approve", leastRole: "write" };

describe("a plan that was changed", () => {
  it("is shown with all that came, went and changed, and how to approve it", () => {
    const text = amendReplies.amended({
      diff: planDiff(BEFORE, AFTER),
      by: "mia",
      via: "push",
      head: HEAD,
      kept: [
        { id: "core", standing: { kind: "merged" } },
        { id: "page", standing: { kind: "open", pr: 12 } },
        { id: "css", standing: { kind: "taken", by: "wes" } },
      ],
      orphans: [{ id: "docs", pr: 9 }],
      approval: APPROVAL,
    });
    expect(text).toMatchInlineSnapshot(`
      "mia changed the plan by a push (\`1a2b3c4\`).

      - New: \`help\` Write the help
      - Removed: \`docs\`
      - Changed: \`api\` (description, acceptance)
      - Finished, and stays as it is: \`core\` (merged), \`page\` (open as #12), \`css\` (in the hands of wes)

      #9 was for \`docs\`, which is no longer in the plan: close it if nobody needs it.

      Work goes on once the plan is approved as it is now. To approve, set the label \`loom: approve\` on the plan's pull request, or comment \`/loom approve 1a2b3c4\` there: the approval is for \`1a2b3c4\` and nothing else. It takes the role \`write\` or more. A later push voids it.

      | Stage | Field | Before | After |
      |---|---|---|---|
      | the plan | \`max_parallel\` | not set | \`2\` |
      | the plan | \`gate\` | not set | \`none\` |
      | \`api\` | \`description\` | \`Do api.\` | \`Do @mia's api.\` |
      | \`api\` | \`acceptance\` | \`npm test\` | \`npm test, npm run lint\` |

      <details>
      <summary>Line by line</summary>

      \`\`\`\`\`diff
      @@
       loom:
         version: 1
      +  max_parallel: 2
         stages:
           - id: core
      @@
           - id: api
             name: api
      -      description: Do api.
      +      description: Do @mia's api.
             dependencies:
               - core
      @@
             acceptance:
               - npm test
      -    - id: docs
      -      name: docs
      -      description: Do docs.
      +        - npm run lint
      +    - id: help
      +      name: Write the help
      +      description: Do help.
      +      dependencies:
      +        - api
             stage_type: standard
      +  gate: []
       \`\`\`\`
      \`\`\`\`\`

      </details>
      "
    `);
  });

  it("says so when nothing changed", () => {
    expect(
      amendReplies.amended({
        diff: planDiff(BEFORE, BEFORE),
        by: "wes",
        via: "command",
        head: HEAD,
        kept: [],
        orphans: [],
        approval: APPROVAL,
      }),
    ).toMatchInlineSnapshot(`
      "wes had the plan changed (\`1a2b3c4\`). It asks for the same work as before; only the words around it changed.

      Work goes on once the plan is approved as it is now. To approve, set the label \`loom: approve\` on the plan's pull request, or comment \`/loom approve 1a2b3c4\` there: the approval is for \`1a2b3c4\` and nothing else. It takes the role \`write\` or more. A later push voids it.
      "
    `);
  });

  it("tells in words what its checks ask for", () => {
    const check = { command: "npm test", description: "tests pass" };
    const before = planOf([{ id: "api", acceptance: [check, "npm run lint"] }], { gate: [check] });
    const after = planOf(
      [
        {
          id: "api",
          acceptance: [
            { ...check, description: "all tests pass", timeout_secs: 60 },
            { command: "grep -q x y", exit_code: 1, stdout_contains: ["ok", "done"], stderr_empty: true },
          ],
          wiring: [{ source: "src/a.ts", pattern: "serve(" }],
        },
      ],
      { gate: ["npm test"], budget: { cost_usd: 5 } },
    );
    const { changed, plan } = planDiff(before, after);
    expect([...plan, ...(changed[0]?.fields ?? [])]).toMatchInlineSnapshot(`
      [
        {
          "after": "npm test",
          "before": "npm test (tests pass)",
          "field": "gate",
        },
        {
          "after": "cost_usd: 5",
          "before": null,
          "field": "budget",
        },
        {
          "after": "npm test (all tests pass; timeout_secs: 60), grep -q x y (exit_code: 1; stdout_contains: ok, done; stderr_empty: true)",
          "before": "npm test (tests pass), npm run lint",
          "field": "acceptance",
        },
        {
          "after": "source: src/a.ts; pattern: serve(",
          "before": null,
          "field": "wiring",
        },
      ]
    `);
  });

  it("is refused with every reason, and with the way back", () => {
    const problems = ["`api` is merged, so it can't be removed.", "line 3: @mia <b>no</b>"];
    expect(
      [
        amendReplies.refusedAmendment(problems),
        amendReplies.unchanged(),
        amendReplies.invalidEdit("mia", HEAD, ".loom/x/PLAN.md", problems),
      ].join("\n---\n"),
    ).toMatchInlineSnapshot(`
      "The plan stays as it is; the change can't be made:

      - \`api\` is merged, so it can't be removed.
      - line 3: @&#8203;mia &lt;b&gt;no&lt;/b&gt;
      ---
      The plan stays as it is: nothing in it would change.
      ---
      \`.loom/x/PLAN.md\` was changed by mia (\`1a2b3c4\`), and Loom can't go on with it as it is there:

      - \`api\` is merged, so it can't be removed.
      - line 3: @&#8203;mia &lt;b&gt;no&lt;/b&gt;

      Nothing goes on, and it can't be approved like this. Push a fixed \`.loom/x/PLAN.md\`, or the one from before, to the plan's branch; Loom then reads it again. \`/loom cancel\` drops the plan."
    `);
  });

  it("fits into a comment and stays a description, whatever it says", () => {
    const words = fc
      .string({ maxLength: 3_000 })
      .map((text) => `${text}</details>\n\`\`\`\n@mia #1 <!-- loom:x -->`);
    fc.assert(
      fc.property(fc.array(words, { minLength: 1, maxLength: 30 }), (texts) => {
        const next = {
          ...AFTER,
          stages: AFTER.stages.map((one, at) => ({ ...one, description: texts[at % texts.length] ?? "" })),
        };
        const text = amendReplies.amended({
          diff: planDiff(BEFORE, next),
          by: texts[0] ?? "",
          via: "push",
          head: HEAD,
          kept: [],
          orphans: [],
          approval: APPROVAL,
        });
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_COMMENT);
        expect(text).not.toContain("<!-- loom:x");
      }),
      { numRuns: propertyRuns(0.6) },
    );
  });
});

describe("what differs between two texts", () => {
  it("is every line of both, in order", () => {
    const lines = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 12 });
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const shown = textDiff(before.join("\n"), after.join("\n"), 99)
          .split("\n")
          .filter((line) => line !== "@@");
        if (before.join("\n") === after.join("\n")) return;
        const side = (mark: string): string =>
          shown
            .filter((line) => line === "" || line[0] !== mark)
            .map((line) => line.slice(1))
            .join("\n");
        expect([side("+"), side("-")]).toEqual([before.join("\n"), after.join("\n")]);
      }),
    );
  });

  it("is found in time in texts that have nothing in common", () => {
    const text = (word: string): string =>
      Array.from({ length: 40_000 }, (_, at) => `${word}${at}`).join("\n");
    expect(textDiff(text("a"), text("b")).split("\n")).toHaveLength(80_001);
  });
});
