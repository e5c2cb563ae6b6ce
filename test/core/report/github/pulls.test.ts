import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseCommands } from "../../../../src/core/command/parse-commands.ts";
import { buildGraph } from "../../../../src/core/graph/stage-graph.ts";
import { byteLength } from "../../../../src/core/markdown/cut-markdown.ts";
import { NO_SANDBOX_RULES, type Plan, type StagePlan } from "../../../../src/core/plan/plan.ts";
import { composePlan } from "../../../../src/core/planning/compose-plan.ts";
import { renderDiagram } from "../../../../src/core/report/github/plan/diagram.ts";
import { type PlanPullView, planPull } from "../../../../src/core/report/github/plan/plan-pull.ts";
import { slowingRules } from "../../../../src/core/report/github/run/merge-rules.ts";
import { stagePull } from "../../../../src/core/report/github/run/stage-pull.ts";
import { packageRoot } from "../../../../src/wiring/folders/package-root.ts";
import { aCheck, aPlan, aStage } from "../../../support/check-values.ts";
import { propertyRuns } from "../../../support/property-runs.ts";
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
    gate: { commands: ["npm test"], isOwn: false },
    rules: {
      methods: ["squash"],
      requiredApprovals: 2,
      codeOwners: true,
      upToDate: false,
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
  it("names stages that people allow more than the repository does", () => {
    const train = aStage({ id: "train", retries: 90, timeoutSecs: 604_800 });
    const { body } = planPull(aView({ plan: aPlanOf([{ ...SCHEMA, retries: 3 }, train, DOCS]) }));
    expect(body.match(/^\| Beyond.*$/m)?.[0]).toMatchInlineSnapshot(
      `"| Beyond the limits | \`schema\` (4 attempts), \`train\` (91 attempts, 7d 0h each); other stages get 3 attempts, 1h 00m each |"`,
    );
    expect(planPull(aView()).body).not.toContain("Beyond the limits");
  });

  it("says why, what, at what price, and how to say yes or no", () => {
    const { title, body } = planPull(aView());
    expect(title).toBe("Plan: Fix the login");
    expect(body).toMatchInlineSnapshot(`
      "<!-- loom:plan login-1a2b3c4d -->

      A plan of 3 stages for #12, Fix the login, asked for by octocat. It is in \`.loom/login-1a2b3c4d/PLAN.md\`; its run is \`login-1a2b3c4d\`, and the work goes into \`main\`. Nothing runs before it is approved.

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

      - Batches: 2, the widest with 2 stages
      - In parallel: 2 of 3 stages (67%)

      ### The gate

      After each stage Loom runs these checks of the project as a whole:

      - \`npm test\`

      ### Ceilings

      | At most |  |
      |---|---|
      | Cost | $20 |
      | Time | 6h 00m, if every attempt on the longest chain took all of its time |
      | Agents | 2 at a time, 7 attempts in all, 6h 30m together |
      | Critical path | \`schema\` → \`docs\` |

      ### Merging

      People merge. Each stage is a pull request of its own; those that depend on it stack on it.

      - Each pull request needs 2 approving reviews.
      - Code owners have to review what they own.
      - A push dismisses reviews, so a stage that moves onto a merged one has to be reviewed again.
      - Required checks: \`ci / test\`.
      - Merges go through a merge queue.

      ### How to change or drop it

      Comment \`/loom revise <what should be different>\` to have it changed, or push an edit of \`.loom/login-1a2b3c4d/PLAN.md\` to this branch. Either way the approval has to be given again; stages that are finished stay finished. Close this pull request, or comment \`/loom cancel\`, to drop the plan.
      "
    `);
    expect(parseCommands(body).items).toEqual([]);
  });

  it("shows a synthesis stage behind all others, and counts its time", () => {
    const stages = [
      aStage({ id: "s", synthesis: true }),
      aStage({ id: "a" }),
      aStage({ id: "b", dependencies: ["a"] }),
    ];
    const { body } = planPull(aView({ plan: aPlanOf(stages) }));
    expect(body.split("### Stages\n\n")[1]?.split("\n\n###")[0]).toMatchInlineSnapshot(`
      "\`\`\`mermaid
      flowchart LR
        s0["a"]
        s1["b"]
        s2["s"]
        s0 --> s1
        s1 --> s2
      \`\`\`

      | Stage | After | May touch | Proved by |
      |---|---|---|---|
      | \`a\` Build the API |  | any file | the gate |
      | \`b\` Build the API | \`a\` | any file | the gate |
      | \`s\` Build the API | all others | any file | the gate |

      - Batches: 3, the widest with 1 stage
      - In parallel: none, they run one after the other"
    `);
    expect(body.split("### Ceilings\n\n")[1]?.split("\n\n###")[0]).toMatchInlineSnapshot(`
      "| At most |  |
      |---|---|
      | Cost | $20 |
      | Time | 9h 00m, if every attempt on the longest chain took all of its time |
      | Agents | 1 at a time, 9 attempts in all, 9h 00m together |
      | Critical path | \`a\` → \`b\` → \`s\` |"
    `);
  });

  it("shows prose that was wrapped at some column without its wraps", () => {
    const why =
      "The table comes first,\nbecause all else\nneeds it.\n\nThen:\n- the API,\n  which is\n  large\n- the docs";
    const { body } = planPull(
      aView({ planText: `## Why these stages\n\n${why}\n| a | b |\n| 1 | 2 |\nAnd\nso on.\n` }),
    );
    expect(body.split("### Why these stages\n\n")[1]?.split("\n\n###")[0]).toMatchInlineSnapshot(`
      "The table comes first, because all else needs it.

      Then:
      - the API, which is large
      - the docs
      \\| a \\| b \\|
      \\| 1 \\| 2 \\|
      And so on."
    `);
  });

  it("says of a plan that the command approved that nobody has to", () => {
    const first = (express: boolean): string | undefined => planPull(aView({ express })).body.split("\n")[2];
    expect([first(true), first(false)]).toMatchInlineSnapshot(`
      [
        "A plan of 3 stages for #12, Fix the login, asked for by octocat. It is in \`.loom/login-1a2b3c4d/PLAN.md\`; its run is \`login-1a2b3c4d\`, and the work goes into \`main\`. The command that asked for it approved it.",
        "A plan of 3 stages for #12, Fix the login, asked for by octocat. It is in \`.loom/login-1a2b3c4d/PLAN.md\`; its run is \`login-1a2b3c4d\`, and the work goes into \`main\`. Nothing runs before it is approved.",
      ]
    `);
  });

  it("shows the planner's prose, its agents and notes, the design and what earlier runs took", () => {
    const plan = aPlanOf([
      { ...SCHEMA, agent: "data-engineer" },
      { ...API, agent: "coder" },
      aStage({ id: "review", type: "code-review", agent: "code-reviewer", dependencies: ["build-api"] }),
      DOCS,
    ]);
    const planText = composePlan({
      plan,
      title: "Fix the login",
      created: "2026-03-01T10:00:00.000Z",
      designRef: null,
      goal: "",
      sections: {
        why: "The **table** comes first: `build-api` needs it, says @team.",
        outOfScope: "- Passwords <b>reset</b>\n- fixes #1",
        risks: "1. `schema` locks the table.",
      },
      template: readFileSync(join(packageRoot(), "prompts/templates/implementation-plan.md"), "utf8"),
    });
    const { body } = planPull(
      aView({
        plan,
        why: null,
        planText,
        notes: ["Fixed: `docs` waits for `schema` anyway, says @team."],
        designPath: ".loom/login-1a2b3c4d/design.md",
        readOnlyAgents: new Set(["code-reviewer"]),
        estimate: {
          costUsd: { typical: 1.5, high: 4 },
          timeMs: { typical: 1_500_000, high: 5_400_000 },
          basis: { stages: 31, runs: 6 },
        },
      }),
    );
    expect(body.replace(/```mermaid[\s\S]*?```\n\n/, "")).toMatchInlineSnapshot(`
      "<!-- loom:plan login-1a2b3c4d -->

      A plan of 4 stages for #12, Fix the login, asked for by octocat. It is in \`.loom/login-1a2b3c4d/PLAN.md\`; its run is \`login-1a2b3c4d\`, and the work goes into \`main\`. It follows the design in \`.loom/login-1a2b3c4d/design.md\`. Nothing runs before it is approved.

      ### Why these stages

      The table comes first: \`build-api\` needs it, says @&#8203;team.

      ### How to approve

      To approve, set the label \`loom: approve\` on the plan's pull request, or comment \`/loom approve 1a2b3c4\` there: the approval is for \`1a2b3c4\` and nothing else. It takes the role \`maintain\` or more. A later push voids it.

      ### Stages

      | Stage | Agent | After | May touch | Proved by |
      |---|---|---|---|---|
      | \`schema\` Add the table | \`data-engineer\` |  | \`db/**\` | \`npm run migrate \\| tee log\` |
      | \`build-api\` Build the API | \`coder\` | \`schema\` | \`src/api/**\`, \`test/api/**\` | \`npm test\`, \`The server answers\`, \`src/api/login.ts exists\` |
      | \`review\` Build the API | \`code-reviewer\` (reads only) | \`build-api\` | nothing | the gate |
      | \`docs\` | any | \`schema\` | any file | the gate |

      - Batches: 3, the widest with 2 stages
      - In parallel: 2 of 4 stages (50%)

      ### The gate

      After each stage Loom runs these checks of the project as a whole:

      - \`npm test\`

      ### Out of scope

      - Passwords &lt;b&gt;reset&lt;/b&gt;
      - fixes #&#8203;1

      ### Risks

      - \`schema\` locks the table.

      ### Notes

      What Loom fixed in the planner's draft, or let pass:

      - Fixed: \`docs\` waits for \`schema\` anyway, says @&#8203;team.

      ### Ceilings

      | At most |  |
      |---|---|
      | Cost | $20 |
      | Time | 6h 30m, if every attempt on the longest chain took all of its time |
      | Agents | 2 at a time, 10 attempts in all, 9h 30m together |
      | Critical path | \`schema\` → \`build-api\` → \`review\` |
      | Like earlier runs | about $1.50, seldom more than $4; about 25m 00s, seldom more than 1h 30m, until all pull requests are open; reviews and merges come on top (from 31 stages of 6 runs; no promise) |

      ### Merging

      People merge. Each stage is a pull request of its own; those that depend on it stack on it.

      - Each pull request needs 2 approving reviews.
      - Code owners have to review what they own.
      - A push dismisses reviews, so a stage that moves onto a merged one has to be reviewed again.
      - Required checks: \`ci / test\`.
      - Merges go through a merge queue.

      ### How to change or drop it

      Comment \`/loom revise <what should be different>\` to have it changed, or push an edit of \`.loom/login-1a2b3c4d/PLAN.md\` to this branch. Either way the approval has to be given again; stages that are finished stay finished. Close this pull request, or comment \`/loom cancel\`, to drop the plan.
      "
    `);
    expect(body).not.toMatch(/@team|<b>/);
    expect(body).not.toMatch(CLOSING);
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

  it("says of a stage without checks and without a gate that nothing proves it", () => {
    const gate = { commands: [], isOwn: false };
    const plan = aPlanOf(
      [DOCS, { ...DOCS, id: "help" }, API].map((stage) => ({ ...stage, dependencies: [] })),
    );
    const { body } = planPull(aView({ gate, plan, graph: buildGraph(plan.stages) }));
    expect(
      body
        .match(/^\| `.*|^\*\*.*/gm)
        ?.slice(0, 4)
        .join("\n"),
    ).toMatchInlineSnapshot(`
      "| \`docs\` |  | any file | **nothing** |
      | \`help\` docs |  | any file | **nothing** |
      | \`build-api\` Build the API |  | \`src/api/**\`, \`test/api/**\` | \`npm test\`, \`The server answers\`, \`src/api/login.ts exists\` |
      **\`docs\`, \`help\` have no check of their own either, so only a review proves the work.** \`acceptance\` in the plan, or \`gate\` in \`.github/loom.yml\`, adds one."
    `);
    const proved = planPull(aView({ gate, plan: aPlanOf([{ ...API, dependencies: [] }]) })).body;
    expect(proved).not.toContain("nothing**");
    expect(proved).not.toContain("no check");
  });

  it("shows what proves the project as a whole, and that the plan chose it", () => {
    const gateOf = (gate: PlanPullView["gate"]) =>
      /### The gate[\s\S]*?(?=\n\n### )/.exec(planPull(aView({ gate })).body)?.[0];
    expect(gateOf({ commands: ["true", "echo `@team` | tee log"], isOwn: true })).toMatchInlineSnapshot(`
      "### The gate

      **The plan replaces the checks that Loom found in the project with its own.**

      After each stage Loom runs these checks of the project as a whole:

      - \`true\`
      - \`echo '@​team' | tee log\`"
    `);
    expect(gateOf({ commands: [], isOwn: true })).toMatchInlineSnapshot(`
      "### The gate

      **The plan replaces the checks that Loom found in the project with its own.**

      No check of the project as a whole runs after a stage.

      **\`docs\` has no check of its own either, so only a review proves the work.** \`acceptance\` in the plan, or \`gate\` in \`.github/loom.yml\`, adds one."
    `);
    expect(gateOf({ commands: [], isOwn: false })).toMatchInlineSnapshot(`
      "### The gate

      No check of the project as a whole runs after a stage.

      **\`docs\` has no check of its own either, so only a review proves the work.** \`acceptance\` in the plan, or \`gate\` in \`.github/loom.yml\`, adds one."
    `);
    const many = Array.from({ length: 30 }, (_, n) => `npm run check-${n}`);
    expect(gateOf({ commands: many, isOwn: false })).toContain("- … and 10 more.");
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

      A plan of 1 stage for Write docs, asked for by octocat. It is in \`.loom/login-1a2b3c4d/PLAN.md\`; its run is \`login-1a2b3c4d\`, and the work goes into \`main\`. Nothing runs before it is approved.

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

      ### The gate

      After each stage Loom runs these checks of the project as a whole:

      - \`npm test\`

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

      Comment \`/loom revise <what should be different>\` to have it changed, or push an edit of \`.loom/login-1a2b3c4d/PLAN.md\` to this branch. Either way the approval has to be given again; stages that are finished stay finished. Close this pull request, or comment \`/loom cancel\`, to drop the plan.
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
      upToDate: false,
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
          agent: b,
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
            planText: `## Why these stages\n\n${a}\n\n## Out of scope\n\n${b}\n\n## Risks\n\n${c}\n`,
            notes: [a, b],
            designPath: c,
            readOnlyAgents: new Set([b]),
            gate: { commands: [a, b, c], isOwn: true },
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
      { numRuns: propertyRuns(3) },
    );
  });
});
