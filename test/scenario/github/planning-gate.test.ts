import { afterEach, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { aGitHubWorld, type GitHubWorld } from "../../support/github-world.ts";
import { answers, draftStage, planAnswer, planFor, promptsOf, taskOf } from "../../support/planning-talk.ts";
import { outcomeOf, scriptNow, send } from "../../support/task-talk.ts";

let world: GitHubWorld;
afterEach(() => world?.end());

const manifest = (test: string): string => JSON.stringify({ name: "tools", scripts: { test } });
const config = (gate: readonly string[]) => ({ version: 1, harness: "scripted", gate });
const gateIn = (prompt = ""): string => /^- Every stage also .*$/m.exec(prompt)?.[0] ?? "";

describe("the planner", () => {
  it("is told the checks that Loom will run after each stage, wherever they come from", async () => {
    world = await aGitHubWorld({
      config: config(["test -f README.md"]),
      files: { "package.json": manifest("node --test") },
      tasks: { begin: answers(planAnswer([draftStage("count")])) },
    });
    const issue = world.issue();
    world.comment(issue, "/loom run");
    const plan = await planFor(world, issue);
    const [prompt] = (await promptsOf(world, await taskOf(world, issue))).get("begin") ?? [];
    expect(gateIn(prompt)).toMatchInlineSnapshot(
      `"- Every stage also has to pass these checks of the whole project, which Loom runs after it: \`npm test\`, \`test -f README.md\`."`,
    );
    // The same as people are told, and as the run is held against.
    expect(plan.body).toContain("as a whole:\n\n- `npm test`\n- `test -f README.md`\n");
    const run = await world.run(({ origin }) => origin?.issue === issue);
    expect(run.gate.map(({ command }) => command)).toEqual(["npm test", "test -f README.md"]);

    // The run keeps the gate that it began with, so that holds for a change of its plan as well.
    await world.push(
      "main",
      { "package.json": "{}", ".github/loom.yml": stringify(config(["make lint"])) },
      "ada",
    );
    await scriptNow(world, { draft: answers(planAnswer([draftStage("count"), draftStage("help")])) });
    const { id } = send(world, issue, "revise", "Describe it as well");
    expect(await outcomeOf(world, id)).toContain("The plan is changed");
    const revision = await taskOf(world, issue, ({ kind }) => kind === "revise");
    const [revised] = (await promptsOf(world, revision)).get("draft") ?? [];
    expect(gateIn(revised)).toBe(gateIn(prompt));
  });
});
