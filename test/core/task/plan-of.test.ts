import { describe, expect, it } from "vitest";
import { planNotes, planOf } from "../../../src/core/task/plan-of.ts";
import { aTask } from "../../support/a-task.ts";

const draft = (plan: string | null, note: string) => ({
  type: "plan-drafted",
  answer: "…",
  plan,
  problems: plan === null ? ["It has no stages."] : [],
  notes: [note],
});
const design = { type: "design-written", document: "# A design", notes: ["It says nothing of risks."] };
const degraded = {
  type: "plan-degraded",
  plan: "# One stage",
  cause: { kind: "drafts", drafts: 4, problems: 0, first: null },
};

describe("the plan that came of a task", () => {
  it("has the notes about the draft that was taken, and about its design", () => {
    const task = aTask("plan", [design, draft(null, "Fixed: a."), draft("# A plan", "Fixed: b.")]);
    expect(planOf(task)).toBe("# A plan");
    expect(planNotes(task)).toEqual({ designNotes: ["It says nothing of risks."], notes: ["Fixed: b."] });
  });

  it("has none about drafts that another one was put in the place of", () => {
    const task = aTask("plan", [design, draft(null, "Fixed: a."), degraded]);
    expect(planOf(task)).toBe("# One stage");
    expect(planNotes(task)).toEqual({ designNotes: ["It says nothing of risks."], notes: [] });
  });
});
