import { describe, expect, it } from "vitest";
import { COUNT, planAnswer, taskProject } from "./task-project.ts";

const TESTED = { "package.json": JSON.stringify({ name: "words", scripts: { test: "node --test" } }) };
const limitsIn = (prompt = ""): string => /^## Limits\n\n([\s\S]*?)\n\n## /m.exec(prompt)?.[1] ?? "";

describe("the checks of a project", () => {
  it("are told to the planner of loom plan new, with those that the repository asks for", async () => {
    const config = { ".github/loom.yml": "version: 1\ngate: [test -f README.md]\n" };
    const project = taskProject({ begin: [{ answer: planAnswer() }] }, { ...TESTED, ...config });
    expect((await project.ask("plan", "new", "Count words")).code).toBe(0);
    const [prompt] = project.prompts("plan");
    expect(limitsIn(prompt)).toMatchInlineSnapshot(`
      "- At most 100 stages; at most 4 run at the same time.
      - Each attempt of a stage may take 4h; 3 attempts each.
      - Every stage also has to pass these checks of the whole project, which Loom runs after it: \`npm test\`, \`test -f README.md\`."
    `);
  });

  it("are not spoken of where there are none", async () => {
    const project = taskProject({ begin: [{ answer: planAnswer() }] });
    await project.ask("plan", "new", "Count words");
    const [prompt] = project.prompts("plan");
    expect(limitsIn(prompt)).not.toContain("checks");
  });

  it("prove the one stage that stands in the place of a plan", async () => {
    const broken = { answer: planAnswer([{ ...COUNT, dependencies: ["nope"] }]) };
    const project = taskProject({ draft: [broken], redraft: [broken] }, TESTED);
    expect((await project.ask("plan", "new", "Count words", "--express")).code).toBe(0);
    expect(await project.tell(["plan", "check", "PLAN.md"])).toMatchInlineSnapshot(`
      "$ loom plan check PLAN.md
      PLAN.md is valid.

        level  stages
            1  execute-goal

      1 stage in 1 level.

      Critical path (1 stage): execute-goal
      => 0
      "
    `);
    expect(project.read("PLAN.md")).toContain("acceptance:\n        - command: npm test\n");
  });
});
