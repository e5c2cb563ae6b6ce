import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import type { Task } from "../../../src/core/task/task.ts";
import { MISTAKES, PLANS_BY_TASK, SOUND, stageOwning as stage, UNREADABLE } from "../../support/drafts.ts";
import { write } from "../../support/github-talk.ts";
import { aGitHubWorld, type GitHubWorld } from "../../support/github-world.ts";
import {
  answers,
  draftStage,
  planAnswer,
  planFor,
  promptsOf,
  questions,
  taskComment,
  taskOf,
} from "../../support/planning-talk.ts";
import { scriptNow } from "../../support/task-talk.ts";

let world: GitHubWorld;
/** One world for all tests of a block. Each push to its default branch has Loom look at all runs that are open in it. */
function inWorld(config: Readonly<Record<string, unknown>> = {}): void {
  beforeAll(async () => {
    world = await aGitHubWorld({
      tasks: { begin: answers(SOUND) },
      config: { version: 1, harness: "scripted", ...config },
      env: { LOOM_DISABLED_AGENTS: "refactor" },
    });
  });
  afterAll(() => world?.end());
}

/** `.github/loom.yml` of the default branch. */
async function configure(more: Readonly<Record<string, unknown>>): Promise<void> {
  const config = { version: 1, harness: "scripted", ...more };
  await world.push("main", { ".github/loom.yml": stringify(config) }, "ada");
}

async function planned(title: string, command = "/loom run"): Promise<{ issue: number; task: Task }> {
  const issue = world.issue({ title, body: `${title}, please.` });
  world.comment(issue, command);
  return { issue, task: await taskOf(world, issue) };
}

describe("drafts of many kinds", () => {
  inWorld();

  it("become plans, whatever the task is", async () => {
    const seen: Record<string, unknown> = {};
    for (const [kind, answer] of Object.entries(PLANS_BY_TASK)) {
      await scriptNow(world, { begin: answers(answer) });
      const { task } = await planned(kind);
      const [draft] = task.drafts;
      seen[kind] = { outcome: task.outcome?.kind, problems: draft?.problems, notes: draft?.notes };
    }
    const plain = { outcome: "planned", problems: [], notes: [] };
    expect(seen).toEqual(Object.fromEntries(Object.keys(PLANS_BY_TASK).map((kind) => [kind, plain])));
  });
});

describe("drafts that do not hold", () => {
  inWorld({ protected_paths: ["infra"], agents: { disabled: ["tester"] } });

  it("go back with all that is wrong with them, as a numbered list", async () => {
    const seen: Record<string, unknown> = {};
    for (const [kind, answer] of Object.entries(MISTAKES)) {
      await scriptNow(world, { begin: answers(answer, SOUND) });
      const { task } = await planned(kind);
      expect([kind, task.outcome?.kind]).toEqual([kind, "planned"]);
      seen[kind] = task.drafts[0]?.problems ?? [];
      const [, prompt = ""] = (await promptsOf(world, task)).get("begin") ?? [];
      const list = (task.drafts[0]?.problems ?? []).map((problem, index) => `${index + 1}. ${problem}`);
      expect(prompt).toContain(list.join("\n"));
      for (const name of ["tester", "refactor"]) expect(prompt).not.toContain(`- \`${name}\``);
      expect(prompt).toContain("- `coder`");
    }
    expect(seen).toMatchInlineSnapshot(`
      {
        "YAML that breaks off": [
          "The YAML can't be used here: flow sequence in block collection must be sufficiently indented and end with a ]. Indent it like its neighbours, with spaces; close every bracket.",
          "The section \`## Why these stages\` is missing. Say why the work is cut like this.",
          "The section \`## Out of scope\` is missing. Say what somebody could expect and will not get, or that there is nothing.",
        ],
        "a circle": [
          "\`stages[0].dependencies[0]\`: These stages wait for each other: egg → hen → egg. Remove one of these dependencies.",
        ],
        "a dependency on nothing": [
          "\`stages[0].dependencies[0]\`: There is no stage \`parse\` to depend on. Name the id of a stage of this plan.",
        ],
        "a pipeline": [
          "The stage \`ci\` owns \`.github/workflows/ci.yml\`, which no agent may change. Leave it out of \`files\`, and say under "Out of scope" what people have to do there.",
          "The stage \`rules\` owns \`CLAUDE.md\`, which no agent may change. Leave it out of \`files\`, and say under "Out of scope" what people have to do there.",
          "The stage \`rules\` owns \`infra/main.tf\`, which no agent may change. Leave it out of \`files\`, and say under "Out of scope" what people have to do there.",
        ],
        "a reader who is to write": [
          "\`stages[0].agent\`: The agent \`code-reviewer\` can only read, but \`count\` has to change files. Choose an agent that can write, or let the stage change nothing: no \`files\`, and \`allow_no_change: true\` or the \`stage_type\` \`investigate\` or \`code-review\`.",
        ],
        "a stage without files or checks": [
          "\`stages[0]\`: Nothing proves the stage \`count\`. Add \`acceptance\`, such as a test command, or \`truths\`, \`artifacts\` or \`wiring\`.",
          "The stage \`count\` changes files and owns none. Add \`files\` with the paths or patterns that it may touch.",
        ],
        "an agent that nobody knows": [
          "\`stages[0].agent\`: There is no agent \`wizard\`. Name an agent that is installed and not disabled.",
        ],
        "an agent that was removed": [
          "\`stages[0].agent\`: The agent \`tester\` is disabled. Name another one, or have it enabled: it stands in the operator's LOOM_DISABLED_AGENTS or in \`agents.disabled\` of .github/loom.yml.",
          "\`stages[1].agent\`: The agent \`refactor\` is disabled. Name another one, or have it enabled: it stands in the operator's LOOM_DISABLED_AGENTS or in \`agents.disabled\` of .github/loom.yml.",
        ],
        "no block at all": [
          "The answer holds no plan: there is no code fence marked \`yaml\` with \`loom:\` on its top level.",
        ],
        "questions that can't be read": [
          "The block with \`loom_questions:\` is not readable as YAML. Put texts with a colon between quotes.",
        ],
        "thirty stages for a simple task": [
          "The plan has 30 stages; a simple task takes 3 at most. Join stages that one agent can do in one go.",
        ],
        "two blocks": [
          "There are 2 blocks with \`loom:\`, and only one can be the plan. Answer again with one block with \`loom:\`, and with no other example of a plan.",
        ],
        "two owners of one file": [
          "\`stages[1].files[0]\`: \`one\` and \`two\` may run at the same time and both own \`same.ts\`. Let one of them own it, or let \`two\` depend on \`one\`.",
        ],
      }
    `);
  });
});

describe("a first look", () => {
  inWorld({ approval: { express: true } });
  const design = answers(
    "## Problem Statement\n\nNobody counts.\n\n## Approach\n\nCount.\n\n## Success Criteria\n\nCounted.\n",
  );

  it("may still ask after questions that could not be read, and goes on to a design", async () => {
    const asked = questions("complex", [{ question: "What is a word?", options: ["a", "b"] }]);
    await scriptNow(world, { begin: answers(UNREADABLE, asked), design, draft: answers(SOUND) });
    const issue = world.issue({ title: "Count words", body: "Count words, please." });
    world.comment(issue, "/loom run --depth quick");
    await taskComment(world, issue, "questions");
    world.comment(issue, "1b");
    const task = await taskOf(world, issue);
    expect(task.outcome?.kind).toBe("planned");
    expect([...task.sessionsBy]).toEqual([
      ["begin", 2],
      ["design", 1],
      ["draft", 1],
    ]);
    expect(task.drafts.map(({ problems }) => problems.length)).toEqual([1, 0]);
  });

  it("is no plan yet when it calls the task complex", async () => {
    const complex = planAnswer([draftStage("count")], { complexity: "complex" });
    await scriptNow(world, { begin: answers(complex), design, draft: answers(complex) });
    const { issue, task } = await planned("Count words", "/loom run --depth quick");
    expect([...task.sessionsBy.keys()]).toEqual(["begin", "design", "draft"]);
    expect((await planFor(world, issue)).body).toContain("It follows the design in");
  });

  it("leads to no draft that follows no design: that is a matter of the policy", async () => {
    await scriptNow(world, {
      begin: answers(questions("complex", [])),
      design: answers("Sorry, I can't."),
      draft: answers(SOUND),
    });
    const { issue, task } = await planned("Count words");
    expect(task.outcome?.kind).toBe("planned");
    const run = await world.run(({ origin }) => origin?.issue === issue);
    expect([run.approval.kind, ...run.plan.stages.map(({ id }) => id)]).toEqual(["awaited", "execute-goal"]);
    expect(task.drafts).toEqual([]);
    expect([...task.sessionsBy]).toEqual([
      ["begin", 1],
      ["design", 3],
    ]);
    const [, again = ""] = (await promptsOf(world, task)).get("design") ?? [];
    expect(again).toContain("1. The section `## Problem Statement` is missing or empty.");
    expect((await taskComment(world, issue)).replaceAll(/#\d+/g, "#PLAN")).toMatchInlineSnapshot(`
      "The planner failed 3 times and brought no plan. The agent did not end in the agreed form: its design has none of the sections that were asked for. Instead there is a plan of one stage, in which one agent does all of it. It waits for approval like any other.

      The end of its output:

      \`\`\`text
      Sorry, I can't.
      \`\`\`

      The plan is open: #PLAN (run \`RUN\`). Nothing runs before somebody approves it there.

      **No sandbox**: the operator set \`LOOM_SANDBOX=off\`, so the agent had the rights of Loom's own user.

      <sub>scripted · tokens not reported · cost unknown · TIME</sub>"
    `);
  });

  it("can't switch off the checks of the project, be it approved with the command", async () => {
    const gated = planAnswer([draftStage("count")], { gate: ["true"] });
    await scriptNow(world, { draft: answers(gated), redraft: answers(gated) });
    const { issue, task } = await planned("Count words", "/loom run --express");
    expect(task.drafts.map(({ plan }) => plan)).toEqual([null, null, null, null]);
    const run = await world.run(({ origin }) => origin?.issue === issue);
    expect(run.plan.gate).toBeNull();
  });

  it("can't lift the repository's limits, nor choose who does the work, be it approved with the command", async () => {
    await configure({ approval: { express: true }, limits: { retries: 1, timeout_secs: 600 } });
    const more = { retries: 90, timeout_secs: 604_800, runs_on: "gpu-nowhere", harness: "gemini" };
    const bold = planAnswer([draftStage("count", more)]);
    await scriptNow(
      world,
      { draft: answers(bold), redraft: answers(SOUND) },
      { count: [write("count.txt")] },
    );
    const { issue, task } = await planned("Count words", "/loom run --express");
    expect(task.drafts.map(({ problems }) => problems)).toEqual([
      [
        "The stage `count` has `harness: gemini`, which a planner can't choose. Leave it out.",
        "The stage `count` has `runs_on: gpu-nowhere`, which a planner can't choose. Leave it out.",
        "The stage `count` has `retries: 90`; the most here is 1. Leave it out, or write less.",
        "The stage `count` has `timeout_secs: 604800`; the most here is 600. Leave it out, or write less.",
      ],
      [],
    ]);
    const run = await world.run(({ origin }) => origin?.issue === issue);
    expect([
      run.approval.kind,
      (await planFor(world, issue)).body.match(/\d+ attempts? in all, .* together/)?.[0],
    ]).toEqual(["given", "2 attempts in all, 20m 00s together"]);
  });
});

describe("a planner that brings no sound plan", () => {
  inWorld();
  const hopeless = {
    begin: answers("First.", "Second.", "Third.", "Fourth.", "Fifth."),
    draft: answers("First."),
    redraft: answers("Second.", "Third.", "Fourth.", "Fifth."),
  };

  it("is tried four times, then the policy decides", async () => {
    const seen: Record<string, unknown> = {};
    for (const degraded of ["allow", "require-approval", "deny"]) {
      await configure({ planner: { degraded }, gate: ["test -f README.md"] });
      await scriptNow(world, hopeless);
      const { issue, task } = await planned("Count words");
      expect(task.drafts.map(({ answer }) => answer)).toEqual(["First.", "Second.", "Third.", "Fourth."]);
      const runs = (await world.runs()).filter(({ origin }) => origin?.issue === issue);
      seen[degraded] = {
        said: (await taskComment(world, issue)).replaceAll(/#\d+/g, "#PLAN"),
        stages: runs.map(({ plan }) => plan.stages.map(({ id, acceptance }) => [id, acceptance[0]?.command])),
        approval: runs.map(({ approval }) => approval.kind),
      };
      if (degraded !== "deny")
        expect((await planFor(world, issue)).body).toContain("No plan of several stages could be made");
    }
    expect(seen).toMatchInlineSnapshot(`
      {
        "allow": {
          "approval": [
            "awaited",
          ],
          "said": "The planner came up with no plan that passes the checks. Instead there is a plan of one stage, in which one agent does all of it; this repository allows that.

      What was wrong with the last one:

      - The answer holds no plan: there is no code fence marked \`yaml\` with \`loom:\` on its top level.

      The plan is open: #PLAN (run \`RUN\`). Nothing runs before somebody approves it there.

      **No sandbox**: the operator set \`LOOM_SANDBOX=off\`, so the agent had the rights of Loom's own user.

      <sub>scripted · tokens not reported · cost unknown · TIME</sub>",
          "stages": [
            [
              [
                "execute-goal",
                "test -f README.md",
              ],
            ],
          ],
        },
        "deny": {
          "approval": [],
          "said": "The planner came up with no plan that passes the checks. This repository allows no plan of one stage in its place (\`planner.degraded: deny\`), so there is none.

      What was wrong with the last one:

      - The answer holds no plan: there is no code fence marked \`yaml\` with \`loom:\` on its top level.

      Say in the issue what is missing and comment \`/loom run\` again, or put a plan of your own into the repository: \`/loom run path/to/PLAN.md\`.

      **No sandbox**: the operator set \`LOOM_SANDBOX=off\`, so the agent had the rights of Loom's own user.

      <sub>scripted · tokens not reported · cost unknown · TIME</sub>",
          "stages": [],
        },
        "require-approval": {
          "approval": [
            "awaited",
          ],
          "said": "The planner came up with no plan that passes the checks. Instead there is a plan of one stage, in which one agent does all of it. It waits for approval like any other.

      What was wrong with the last one:

      - The answer holds no plan: there is no code fence marked \`yaml\` with \`loom:\` on its top level.

      The plan is open: #PLAN (run \`RUN\`). Nothing runs before somebody approves it there.

      **No sandbox**: the operator set \`LOOM_SANDBOX=off\`, so the agent had the rights of Loom's own user.

      <sub>scripted · tokens not reported · cost unknown · TIME</sub>",
          "stages": [
            [
              [
                "execute-goal",
                "test -f README.md",
              ],
            ],
          ],
        },
      }
    `);
  });

  it.each([
    ["allow", "given"],
    ["require-approval", "awaited"],
  ])("is approved with the command only where that is allowed: %s", async (degraded, approval) => {
    await configure({ planner: { degraded }, approval: { express: true } });
    await scriptNow(world, hopeless, { "execute-goal": [{ write: { path: "goal.txt", text: "x\n" } }] });
    const { issue } = await planned("Count words", "/loom run --express");
    const run = await world.run(({ origin }) => origin?.issue === issue);
    expect(run.approval.kind).toBe(approval);
  });
});

describe("a plan of one stage", () => {
  inWorld();

  it("has no notes about drafts that were thrown away", async () => {
    const stages = [
      stage("a", ["a.ts"]),
      stage("b", ["b.ts"], { dependencies: ["a"] }),
      { id: "c", name: "C", description: "Do it.", dependencies: ["a", "b"], acceptance: ["npm test"] },
    ];
    await scriptNow(world, { begin: answers(planAnswer(stages)) });
    const { issue, task } = await planned("Count words");
    expect(task.drafts.at(-1)?.notes).toHaveLength(1);
    expect((await planFor(world, issue)).body).not.toContain("Fixed");
  });
});

describe("the mode of planning", () => {
  inWorld();

  /** One dependency too many, one stage too many, and a stage that owns nothing. */
  const loose = planAnswer(
    [
      stage("a", ["a.ts"]),
      stage("b", ["b.ts"], { dependencies: ["a"] }),
      stage("c", ["c.ts"], { dependencies: ["a", "b"] }),
      { id: "d", name: "D", description: "Do it.", dependencies: ["c"], acceptance: ["npm test"] },
    ],
    { complexity: "simple" },
  );

  it("decides what goes back, what is fixed and what passes with a note", async () => {
    const seen: Record<string, unknown> = {};
    for (const mode of ["strict", "guided", "suggestive"]) {
      await configure({ planner: { mode } });
      await scriptNow(world, { begin: answers(loose, SOUND) });
      const { task } = await planned("Count words");
      const [{ problems = [], notes = [] } = {}] = task.drafts;
      seen[mode] = { problems, notes };
    }
    expect(seen).toMatchInlineSnapshot(`
      {
        "guided": {
          "notes": [
            "Fixed: \`c\` waits for \`a\` anyway, through another dependency.",
          ],
          "problems": [
            "The plan has 4 stages; a simple task takes 3 at most. Join stages that one agent can do in one go.",
            "The stage \`d\` changes files and owns none. Add \`files\` with the paths or patterns that it may touch.",
          ],
        },
        "strict": {
          "notes": [],
          "problems": [
            "\`stages[2].dependencies[0]\`: \`c\` waits for \`a\` anyway, through another dependency. Leave it out.",
            "The plan has 4 stages; a simple task takes 3 at most. Join stages that one agent can do in one go.",
            "The stage \`d\` changes files and owns none. Add \`files\` with the paths or patterns that it may touch.",
          ],
        },
        "suggestive": {
          "notes": [
            "\`stages[2].dependencies[0]\`: \`c\` waits for \`a\` anyway, through another dependency. Leave it out.",
            "The plan has 4 stages; a simple task takes 3 at most. Join stages that one agent can do in one go.",
            "The stage \`d\` changes files and owns none. Add \`files\` with the paths or patterns that it may touch.",
          ],
          "problems": [],
        },
      }
    `);
  });
});
