import { expect, it } from "vitest";
import { makeProject } from "../scenario/project.ts";
import { planText } from "../support/plan-text.ts";

const STAGES = [{ id: "first", acceptance: ["test -f first.txt"], retries: 0 }];
const KEEPS_ITS_TASK = 'cat > "$NOTES/task"; echo > first.txt';

it("takes the prompts of a run from the folder that is called like it, and says so", async () => {
  const project = makeProject({
    stages: STAGES,
    agent: KEEPS_ITS_TASK,
    files: {
      "docs/gw/PLAN.md": planText(STAGES, { name: "Gateway" }),
      ".loom/gw-plan/stages/standard.md": "# Signal: of the gateway\n",
      ".loom/gw-plan/common/every-session.md": "Do as you like.\n",
      ".loom/plan/stages/standard.md": "# Signal: of another plan\n",
    },
  });
  const { code, stdout, stderr } = await project.ask("run", "docs/gw/PLAN.md");
  expect(code, stdout + stderr).toBe(0);
  expect(project.note("task")).toContain("# Signal: of the gateway");
  expect(project.note("task")).not.toMatch(/of another plan|Do as you like/);
  expect(
    (stdout + stderr).match(/^.*(?:prompts of this repository|rules of safety).*$/gm),
  ).toMatchInlineSnapshot(`
    [
      "Agents are told by prompts of this repository, in .loom/gw-plan/, in place of Loom's: stages/standard.md.",
      "A repository can't replace Loom's rules of safety: in .loom/gw-plan/, common/every-session.md is not used.",
    ]
  `);
});

it("says nothing of prompts where none are replaced", async () => {
  const project = makeProject({ stages: STAGES, agent: KEEPS_ITS_TASK });
  const { code, stdout, stderr } = await project.ask("run", "PLAN.md");
  expect(code).toBe(0);
  expect(stdout + stderr).not.toMatch(/prompts|rules of safety/);
});
