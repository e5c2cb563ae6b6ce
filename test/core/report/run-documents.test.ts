import { describe, expect, it } from "vitest";
import { parsePlan } from "../../../src/core/plan/read/parse-plan.ts";
import { renderPlan } from "../../../src/core/plan/render-plan.ts";
import { renderAbout } from "../../../src/core/report/documents/about-file.ts";
import { renderUnit, unitName } from "../../../src/core/report/documents/unit-file.ts";
import { planText } from "../../support/plan-text.ts";
import { RunWorld } from "../../support/run-world.ts";

const PLAN = planText(
  [
    {
      id: "store",
      name: "Add the store",
      acceptance: ["make test", { command: "x", exit_code: 3, stdout_contains: "y" }],
    },
    {
      id: "api",
      name: "Add the API",
      dependencies: ["store"],
      effort: "high",
      timeout_secs: 60,
      no_progress_secs: 0,
      wiring: [{ source: "a.ts", pattern: "b" }],
    },
  ],
  { max_parallel: 3, gate: ["make gate"] },
);

describe("the documents of a run", () => {
  const { run } = new RunWorld(PLAN);

  it("say what the run was about", () => {
    expect(renderAbout(run)).toMatchInlineSnapshot(`
      "# A plan

      2 stages of PLAN.md, merged into main by Loom.

      - \`PLAN.md\`: the plan as it was run
      - \`NN-<stage>.md\`: what each stage was asked to do
      - \`PROGRESS.md\`: what became of it
      - \`session-state.md\`: the same with its fields, for programs
      - \`reports/\`: the evidence for each stage
      - \`history.jsonl\`: every event, in order, with UTC times
      - \`gate\`: the checks that every stage had to pass; \`sh gate\` runs them again
      "
    `);
  });

  it("hold each stage as a unit with its overrides", () => {
    const stage = run.stages.get("api");
    expect(stage && renderUnit(stage.plan)).toMatchInlineSnapshot(`
      "---
      id: api
      dependencies:
        - store
      effort: high
      timeout_secs: 60
      no_progress_secs: 0
      ---

      # Add the API

      Do api.
      "
    `);
    expect(unitName(0, 7, "api")).toBe("01-api.md");
    expect(unitName(41, 2_000, "api")).toBe("0042-api.md");
  });

  it("hold a plan that parses to the same plan", () => {
    const again = parsePlan(renderPlan(run.plan), { origin: "loom" });
    expect(again.problems.filter((one) => one.severity === "error")).toEqual([]);
    const bare = (plan: typeof again.plan) =>
      plan && { ...plan, stages: plan.stages.map((stage) => ({ ...stage, line: 0 })) };
    expect(bare(again.plan)).toEqual(bare(run.plan));
  });
});
