import { describe, expect, it } from "vitest";
import { planNewJson, renderPlanNew } from "../../../../src/core/report/commands/plan-new-report.ts";
import { aTask } from "../../../support/a-task.ts";

const design = { type: "design-written", document: "# A design", notes: ["It says nothing of risks."] };
const draft = (plan: string | null) => ({
  type: "plan-drafted",
  answer: "…",
  plan,
  problems: plan === null ? ["It has no stages."] : [],
  notes: ["Fixed: `b` waits for `a` anyway."],
});
const degraded = {
  type: "plan-degraded",
  plan: "# One stage",
  cause: { kind: "drafts", drafts: 4, problems: 0, first: null },
};
const written = { type: "task-finished", outcome: { kind: "written", path: "PLAN.md" } };
const FILES = { plan: "PLAN.md", design: "PLAN.design.md" };

describe("what loom plan new prints", () => {
  it("tells notes about the draft that was taken, and which are about the design", () => {
    const { result, remarks } = renderPlanNew(aTask("plan", [design, draft("# A plan"), written]), FILES, {
      color: false,
    });
    expect(result + remarks).toMatchInlineSnapshot(`
      "The design stands in PLAN.design.md.
      The plan stands in PLAN.md. Read it, then: loom run PLAN.md
      ! In the design: It says nothing of risks.
      ! Fixed: \`b\` waits for \`a\` anyway.
      tokens not reported · cost unknown · 0 s
      "
    `);
  });

  it("tells no notes about drafts that one stage took the place of", () => {
    const task = aTask("plan", [design, draft(null), degraded, written]);
    expect(renderPlanNew(task, FILES, { color: false }).remarks).toMatchInlineSnapshot(`
      "No sound plan came in 4 drafts. A plan of one stage stands in its place.
      ! In the design: It says nothing of risks.
      tokens not reported · cost unknown · 0 s
      "
    `);
    expect(planNewJson(task, FILES).notes).toEqual(["In the design: It says nothing of risks."]);
  });
});
