import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseCommands } from "../../../../src/core/command/parse-commands.ts";
import { buildGraph } from "../../../../src/core/graph/stage-graph.ts";
import { NO_SANDBOX_RULES, type Plan, type StagePlan } from "../../../../src/core/plan/plan.ts";
import { byteLength } from "../../../../src/core/report/github/cut-markdown.ts";
import { renderDiagram } from "../../../../src/core/report/github/diagram.ts";
import { slowingRules } from "../../../../src/core/report/github/merge-rules.ts";
import { type PlanPullView, planPull } from "../../../../src/core/report/github/plan-pull.ts";
import { stagePull } from "../../../../src/core/report/github/stage-pull.ts";
import { aCheck, aPlan, aStage } from "../../../support/check-values.ts";
import { stageFrom } from "../../../support/read-plans.ts";
import { CLOSING, hostile, render } from "./hostile-text.ts";
import { aPull, HEAD } from "./sample-views.ts";

const SCHEMA = aStage({
  id: "schema",
  name: "Add the table",
  files: ["db/**"],
  acceptance: [aCheck("npm run migrate | tee log")],
});
const API = aStage({
  id: "build-api",
  name: "Build the API",
  dependencies: ["schema"],
  files: ["src/api/**", "test/api/**"],
  acceptance: [aCheck("npm test"), aCheck("curl -f localhost", { description: "The server answers" })],
  artifacts: ["src/api/login.ts"],
  retries: 0,
  timeoutSecs: 1800,
});
const DOCS = aStage({ id: "docs", name: "docs", dependencies: ["schema"] });

function aPlanOf(stages: readonly StagePlan[], parts: Partial<Plan> = {}): Plan {
  return { ...aPlan(SCHEMA), stages, ...parts };
}

function aView(parts: Partial<PlanPullView> = {}): PlanPullView {
  const plan = parts.plan ?? aPlanOf([SCHEMA, API, DOCS]);
  return {
    runId: "login-1a2b3c4d",
    plan,
    graph: buildGraph(plan.stages),
    planPath: ".loom/login-1a2b3c4d/PLAN.md",
    issue: { number: 12, title: "Fix the login" },
    requestedBy: "octocat",
    why: "People can't log in.\nThe table is missing.",
    target: "main",
    mergeMode: "review",
    limits: { maxParallel: 4, retries: 2, timeoutSecs: 3600, budgetUsd: 20 },
    rules: {
      methods: ["squash"],
      requiredApprovals: 2,
      codeOwners: true,
      dismissesReviews: true,
      requiredChecks: ["ci / test"],
      mergeQueue: true,
    },
    approval: { label: "loom: approve", leastRole: "maintain" },
    head: HEAD,
    ...parts,
  };
}

describe("the pull request of a plan", () => {
  it("says why, what, at what price, and how to say yes or no", () => {
    const { title, body } = planPull(aView());
    expect(title).toBe("Plan: Fix the login");
    expect(body).toMatchInlineSnapshot(`
      "<!-- loom:plan login-1a2b3c4d -->

      A plan of 3 stages for #12, Fix the login, asked for by octocat. It stands in \`.loom/login-1a2b3c4d/PLAN.md\`; run \`login-1a2b3c4d\`, into \`main\`. Nothing runs before it is approved.

      > People can't log in.
      > The table is missing.

      ### How to approve

      To approve, set the label \`loom: approve\` on the plan's pull request, or comment \`/loom approve 1a2b3c4\` there: the approval is for \`1a2b3c4\` and nothing else. It takes the role \`maintain\` or more. A later push voids it.

      ### Stages

      \`\`\`mermaid
      flowchart LR
        s0["schema"]
        s1["build-api"]
        s2["docs"]
        s0 --> s1
        s0 --> s2
        classDef critical stroke-width:3px
        class s0,s2 critical
      \`\`\`

      | Stage | After | May touch | Proved by |
      |---|---|---|---|
      | \`schema\` Add the table |  | \`db/**\` | \`npm run migrate \\| tee log\` |
      | \`build-api\` Build the API | \`schema\` | \`src/api/**\`, \`test/api/**\` | \`npm test\`, \`The server answers\`, \`src/api/login.ts exists\` |
      | \`docs\` | \`schema\` | any file | the gate |

      ### Ceilings

      | At most |  |
      |---|---|
      | Cost | $20 |
      | Time | 6h 00m, if every attempt on the longest chain took all of its time |
      | Agents | 3 at a time, 7 attempts in all, 6h 30m together |
      | Critical path | \`schema\` → \`docs\` |

      ### Merging

      People merge. Each stage is a pull request of its own; those that depend on it stack on it.

      - Each pull request needs 2 approving reviews.
      - Code owners have to review what they own.
      - A push dismisses reviews, so a stage that moves onto a merged one has to be reviewed again.
      - Required checks: \`ci / test\`.
      - Merges go through a merge queue.

      ### How to change or drop it

      Close this pull request, or comment \`/loom cancel\`, to drop the plan. To have another one, drop it, say in the issue what should be different and comment \`/loom run\` again; or put your own plan into the repository and name it: \`/loom run path/to/PLAN.md\`.
      "
    `);
    expect(parseCommands(body).items).toEqual([]);
  });

  it("shows what the plan asks of the sandbox, and nothing of it comes alive", () => {
    const asks = (yaml: string) => stageFrom(`sandbox: ${yaml}`).sandbox;
    const plan = aPlanOf(
      [
        SCHEMA,
        {
          ...API,
          sandbox: asks(
            "{ network: { allowed_domains: [a.example.com, api.example.com], setup: [p.example.com] } }",
          ),
        },
        {
          ...DOCS,
          sandbox: asks(
            "{ filesystem: { allow_write: ['docs/`@team`/**'] }, network: { setup: [p.example.com] } }",
          ),
        },
      ],
      {
        sandbox: asks(
          "{ network: { allowed_domains: [a.example.com], checks: ['*.example.org'] }, filesystem: { deny_write: [db/**], deny_read: [secrets] }, excluded_commands: ['npm publish', 'echo `@team` fixes #1'] }",
        ),
      },
    );
    const { body } = planPull(aView({ plan }));
    expect(/### Sandbox[\s\S]*?(?=\n\n### )/.exec(body)?.[0]).toMatchInlineSnapshot(`
      "### Sandbox

      With the plan you approve what it asks of the sandbox, for all stages unless some are named:

      - Agents may reach: \`a.example.com\`, \`api.example.com\` (\`build-api\`)
      - Set-up commands may reach: \`p.example.com\` (\`build-api\`, \`docs\`)
      - Checks may reach: \`*.example.org\`
      - Agents may write: \`docs/'@​team'/**\` (\`docs\`)
      - Agents may not write: \`db/**\`
      - Agents may not read: \`secrets\`
      - Agents may not run: \`npm publish\`, \`echo '@​team' fixes #​1\`"
    `);
    expect(parseCommands(body).items).toEqual([]);
    expect(body).not.toMatch(CLOSING);
    expect(body).not.toMatch(/@team/);
  });

  it("does without an issue, a reason, rules or a head", () => {
    const plan = aPlanOf(
      [DOCS].map((stage) => ({ ...stage, dependencies: [] })),
      { name: "Write docs" },
    );
    const { title, body } = planPull(
      aView({
        plan,
        issue: null,
        why: null,
        rules: null,
        head: null,
        mergeMode: "auto",
        limits: { ...aView().limits, budgetUsd: null },
      }),
    );
    expect(title).toBe("Plan: Write docs");
    expect(body).toMatchInlineSnapshot(`
      "<!-- loom:plan login-1a2b3c4d -->

      A plan of 1 stage for Write docs, asked for by octocat. It stands in \`.loom/login-1a2b3c4d/PLAN.md\`; run \`login-1a2b3c4d\`, into \`main\`. Nothing runs before it is approved.

      ### How to approve

      To approve, set the label \`loom: approve\` on the plan's pull request, or comment \`/loom approve\` there. It takes the role \`maintain\` or more. A later push voids it.

      ### Stages

      \`\`\`mermaid
      flowchart LR
        s0["docs"]
      \`\`\`

      | Stage | After | May touch | Proved by |
      |---|---|---|---|
      | \`docs\` |  | any file | the gate |

      ### Ceilings

      | At most |  |
      |---|---|
      | Cost | no ceiling is set |
      | Time | 3h 00m, if every attempt on the longest chain took all of its time |
      | Agents | 1 at a time, 3 attempts in all, 3h 00m together |
      | Critical path | \`docs\` |

      ### Merging

      Loom merges each stage into \`main\` once it is proved and the required checks pass.

      - GitHub did not say which rules hold for this branch.

      ### How to change or drop it

      Close this pull request, or comment \`/loom cancel\`, to drop the plan. To have another one, drop it, say in the issue what should be different and comment \`/loom run\` again; or put your own plan into the repository and name it: \`/loom run path/to/PLAN.md\`.
      "
    `);
  });

  it("keeps quiet about rules that slow nothing down", () => {
    const free = {
      methods: ["squash" as const],
      requiredApprovals: 0,
      codeOwners: false,
      dismissesReviews: false,
      requiredChecks: [],
      mergeQueue: false,
    };
    expect(slowingRules(free)).toEqual([]);
    expect(slowingRules({ ...free, methods: [] })).toEqual([
      "The repository allows no way to merge a pull request.",
    ]);
  });

  it("fits, and leaves out the diagram, when the plan is huge", () => {
    const stages = Array.from({ length: 3000 }, (_, n) =>
      aStage({
        id: `s${n}`,
        name: "日".repeat(300),
        files: ["ß".repeat(200)],
        dependencies: n > 0 ? [`s${n - 1}`] : [],
      }),
    );
    const { body } = planPull(aView({ plan: aPlanOf(stages) }));
    expect(byteLength(body)).toBeLessThanOrEqual(65_536);
    expect(body.includes("mermaid")).toBe(false);
  });

  it("draws only ids", () => {
    const graph = buildGraph([
      { id: 'a"];x', dependencies: [] },
      { id: "end", dependencies: ['a"];x'] },
    ]);
    expect(renderDiagram(graph, [])).toMatchInlineSnapshot(`
      "\`\`\`mermaid
      flowchart LR
        s0["a   x"]
        s1["end"]
        s0 --> s1
      \`\`\`"
    `);
  });
});

describe("the pull request of a stage", () => {
  it("says what it is, on what it stands and how it was proved", () => {
    const { title, body } = stagePull(
      aPull({
        dependsOn: [
          { stage: "schema", pr: 14, merged: false },
          { stage: "base", pr: 11, merged: true },
        ],
        neededBy: [
          { stage: "ui", pr: 16, merged: false },
          { stage: "docs", pr: null, merged: false },
        ],
      }),
    );
    expect(title).toBe("Build the API");
    expect(body).toMatchInlineSnapshot(`
      "<!-- loom:stage login-1a2b3c4d build-api -->

      Stage \`build-api\` of run \`login-1a2b3c4d\` for #12, planned in #13. The work was done by an agent (attempt 2), the proof by Loom.

      Depends-On: #14
      Needed by: #16, \`docs\`

      ### What

      > Adds the route.
      >
      > Keeps the old one.

      ### How it was proved

      All 3 checks passed, 1 with a warning. Loom ran them itself, from the approved plan, on a clean checkout of \`1a2b3c4\`; \`loom / build-api\` has the output.

      |  | Kind | Check | Result |
      |---|---|---|---|
      | ! | checks | \`files\` | changed outside of the stage's own files: \`src/<b>.ts\` |
      | ✓ | setup | \`npm ci\` | passed (exit 0, 2.1s) |
      | ✓ | acceptance | \`The tests pass\` | passed (exit 0, 0.3s) |

      <details>
      <summary>2 changed files</summary>

      - \`src/api.ts\`
      - \`test/api.test.ts\`

      </details>

      ### What now

      Merge what it depends on first; Loom then moves this onto it. To work on it yourself, comment \`/loom take build-api\` and push to this branch.
      "
    `);
    expect(parseCommands(body).items).toEqual([]);
  });

  it("does without neighbours, a plan, an agent or a proof", () => {
    const { title, body } = stagePull(
      aPull({
        name: "",
        description: " ",
        verdict: null,
        files: [],
        planPr: null,
        issue: null,
        takenBy: "octocat",
        mergeMode: "auto",
      }),
    );
    expect(title).toBe("build-api");
    expect(body).toMatchInlineSnapshot(`
      "<!-- loom:stage login-1a2b3c4d build-api -->

      Stage \`build-api\` of run \`login-1a2b3c4d\`. The work was done by octocat, the proof by Loom.

      ### How it was proved

      Its checks have not run yet.

      ### What now

      Loom merges this into \`main\` when the required checks pass. To work on it yourself, comment \`/loom take build-api\` and push to this branch.
      "
    `);
  });
});

describe("whatever a plan and an agent write", () => {
  it("mentions nobody, closes nothing and commands nothing, in the body and in the commit that it may become", () => {
    fc.assert(
      fc.property(hostile, hostile, hostile, (a, b, c) => {
        const stage = aStage({
          id: "a",
          name: a,
          files: [b],
          acceptance: [aCheck(c, { description: a })],
          artifacts: [c],
          sandbox: { ...NO_SANDBOX_RULES, excludedCommands: [a, b] },
        });
        const sandbox = {
          ...NO_SANDBOX_RULES,
          filesystem: { denyRead: [a], denyWrite: [b], allowWrite: [c] },
        };
        const plan = planPull(
          aView({
            plan: aPlanOf([stage], { name: b, sandbox }),
            issue: { number: 12, title: c },
            why: a,
            requestedBy: b,
          }),
        );
        const verdict = { outcome: "failed", title: a, detail: b, evidence: null, children: [] } as const;
        const pull = stagePull(aPull({ name: a, description: b, files: [c], verdict, takenBy: a }));
        for (const { title, body } of [plan, pull]) {
          for (const text of [title, body]) {
            expect(text).not.toMatch(/@[a-z\d]/i);
            expect(text).not.toMatch(CLOSING);
            expect(parseCommands(text).items).toEqual([]);
          }
          expect(body.match(/<!--\s*loom/gi)).toHaveLength(1);
          const { tags } = render(body);
          expect(tags.filter((tag) => ["img", "a", "script", "h1", "h2"].includes(tag))).toEqual([]);
        }
      }),
      { numRuns: 300 },
    );
  });
});
