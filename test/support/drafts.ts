import { type DraftStage, draftStage, planAnswer } from "./planning-talk.ts";

/** What planners answer: the same in stories with the scripted agent and with real CLIs. */

export const SOUND = planAnswer([draftStage("count")]);
export const UNREADABLE = "```yaml\nloom_questions:\n  complexity: [\n```\n";

/** A stage that owns these files and is proved by the project's tests. */
export function stageOwning(
  id: string,
  files: readonly string[],
  more: Readonly<Record<string, unknown>> = {},
): DraftStage {
  return draftStage(id, { files, acceptance: ["npm test"], ...more });
}

/** What a good planner answers to a dozen kinds of tasks. */
export const PLANS_BY_TASK: Readonly<Record<string, string>> = {
  "a feature": planAnswer([
    stageOwning("model", ["src/search/index.ts"], { agent: "coder" }),
    stageOwning("page", ["src/pages/search.ts"], {
      agent: "coder",
      dependencies: ["model"],
      wiring: [
        { source: "src/pages/search.ts", pattern: "search\\(", description: "the page asks the index" },
      ],
    }),
  ]),
  "a bug with a regression test": planAnswer([
    stageOwning("fix", ["src/date.ts", "test/date.test.ts"], {
      agent: "coder",
      bug_fix: true,
      regression_test: { file: "test/date.test.ts", command: "npm test -- test/date.test.ts" },
    }),
  ]),
  "a refactoring": planAnswer([
    stageOwning("split", ["src/server/**"], { agent: "coder", before: ["npm test"], after: ["npm test"] }),
  ]),
  "documents only": planAnswer([
    stageOwning("guide", ["docs/**", "README.md"], { agent: "technical-writer" }),
  ]),
  "an upgrade": planAnswer([
    stageOwning("upgrade", ["package.json", "package-lock.json"], {
      setup: ["npm ci"],
      sandbox: { network: { setup: ["packages.example.com"] } },
    }),
    stageOwning("adapt", ["src/**"], { dependencies: ["upgrade"] }),
  ]),
  "more speed": planAnswer([
    stageOwning("cache", ["src/cache.ts"], {
      agent: "coder",
      truths: [{ command: "npm run bench", stdout_contains: ["ok"], timeout_secs: 600 }],
    }),
  ]),
  "a hole in the sandbox": planAnswer([
    stageOwning("close", ["src/login.ts", "test/login.test.ts"], {
      agent: "coder",
      bug_fix: true,
      regression_test: { file: "test/login.test.ts", command: "npm test -- test/login.test.ts" },
    }),
  ]),
  "a migration with data": planAnswer(
    [
      stageOwning("schema", ["migrations/0007.sql"], { agent: "data-engineer" }),
      stageOwning("backfill", ["scripts/backfill.ts"], { agent: "data-engineer", dependencies: ["schema"] }),
      stageOwning("reads", ["src/orders.ts"], { agent: "coder", dependencies: ["backfill"] }),
      {
        id: "together",
        name: "Try it all",
        description: "Migrate a copy and compare.",
        stage_type: "integration-verify",
        dependencies: ["reads"],
        acceptance: ["npm run compare"],
      },
    ],
    { complexity: "medium" },
  ),
  "a page for everybody": planAnswer([
    stageOwning("form", ["src/form.tsx"], { agent: "coder", truths: ["npm run axe"] }),
    {
      id: "look",
      name: "Look at it with a screen reader",
      description: "Read the form.",
      stage_type: "code-review",
      agent: "code-reviewer",
      dependencies: ["form"],
      acceptance: ["npm run axe"],
    },
  ]),
  "one package of many": planAnswer([
    stageOwning("tokens", ["src/tokens.ts"], { working_dir: "packages/theme" }),
    stageOwning("button", ["packages/ui/src/button.ts"], { dependencies: ["tokens"] }),
  ]),
  "tests only": planAnswer([stageOwning("tests", ["test/**"], { agent: "tester" })]),
  "a plan in a fence of its own": `\`\`\`\`markdown\n${SOUND}\n\`\`\`\`\n`,
};

/** What planners get wrong. Each is followed by a plan that holds. */
export const MISTAKES: Readonly<Record<string, string>> = {
  "a pipeline": planAnswer([
    stageOwning("ci", [".github/workflows/ci.yml"]),
    stageOwning("rules", ["CLAUDE.md", "infra/main.tf"], { dependencies: ["ci"] }),
  ]),
  "YAML that breaks off":
    "```yaml\nloom:\n  version: 1\n  stages:\n    - id: count\n      name: [Count\n```\n",
  "a circle": planAnswer([
    stageOwning("egg", ["egg.ts"], { dependencies: ["hen"] }),
    stageOwning("hen", ["hen.ts"], { dependencies: ["egg"] }),
  ]),
  "an agent that nobody knows": planAnswer([stageOwning("count", ["count.ts"], { agent: "wizard" })]),
  "an agent that was removed": planAnswer([
    stageOwning("count", ["count.ts"], { agent: "tester" }),
    stageOwning("clean", ["clean.ts"], { agent: "refactor" }),
  ]),
  "a reader who is to write": planAnswer([stageOwning("count", ["count.ts"], { agent: "code-reviewer" })]),
  "two owners of one file": planAnswer([stageOwning("one", ["same.ts"]), stageOwning("two", ["same.ts"])]),
  "thirty stages for a simple task": planAnswer(
    Array.from({ length: 30 }, (_, n) => stageOwning(`s${n}`, [`s${n}.ts`])),
    { complexity: "simple" },
  ),
  "no block at all": "I would write one script and test it.",
  "two blocks": `${SOUND}\n${planAnswer([draftStage("other")])}`,
  "a stage without files or checks": planAnswer([{ id: "count", name: "Count", description: "Count." }]),
  "a dependency on nothing": planAnswer([stageOwning("count", ["count.ts"], { dependencies: ["parse"] })]),
  "questions that can't be read": UNREADABLE,
};
