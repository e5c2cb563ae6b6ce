import { expect, it } from "vitest";
import { makeProject } from "../scenario/project.ts";

const STAGES = [{ id: "first", agent: "coder", acceptance: ["test -f first.txt"], retries: 0 }];
const WITHOUT_CODER = { LOOM_DISABLED_AGENTS: "coder,nobody" };

it("starts no plan that gives a stage to an agent who was taken out", async () => {
  const project = makeProject({ stages: STAGES });
  const { code, stderr } = await project.with({ env: WITHOUT_CODER }).ask("run", "PLAN.md");
  expect(code).toBe(2);
  expect(stderr).toContain("The agent `coder` is disabled.");
  expect(project.mergedStages()).toEqual([]);
});

it("goes on with a run that was begun before, by the same agent", async () => {
  const project = makeProject({ stages: STAGES });
  expect((await project.with({ agent: "exit 1" }).ask("run", "PLAN.md")).code).toBe(1);
  const without = project.with({ env: WITHOUT_CODER });
  const { code, stderr, stdout } = await without.ask("run", "PLAN.md");
  expect([code, stderr]).toEqual([1, ""]);
  expect(stdout).toContain("Blocked\n  first: The agent ended with exit code 1.\n");
  const again = await without.ask("retry", "plan", "first");
  expect(again.code, again.stdout + again.stderr).toBe(0);
  expect(project.mergedStages()).toEqual(["first"]);
});
