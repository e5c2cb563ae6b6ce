import type { Errand } from "../../core/errand/errand.ts";
import type { ErrandStep } from "../../core/errand/next-errand-step.ts";
import { wishOf } from "../../core/errand/wish-of.ts";
import { degradedPlan } from "../../core/planning/degraded-plan.ts";
import { designRef } from "../../core/planning/design-ref.ts";
import { gateToExpect } from "../gate-at.ts";
import { type ErrandClaim, writeErrand } from "./errand-claim.ts";
import { ERRANDS } from "./errand-desk.ts";
import type { ErrandEngine } from "./errand-engine.ts";
import type { ErrandOffice } from "./errand-office.ts";
import { goalOf } from "./plan-on.ts";

/** What the policy makes of a planner that brought no sound plan. */
export async function degradePlan(
  engine: ErrandEngine,
  claim: ErrandClaim,
  errand: Errand,
  { because, reason }: Extract<ErrandStep, { kind: "degrade" }>,
  office: ErrandOffice,
): Promise<void> {
  const isRefused = wishOf(errand).degraded === "deny" || errand.kind === "revise";
  const plan = isRefused ? null : await planOfOneStage(engine, errand, office);
  await writeErrand(engine, claim, { type: "plan-degraded", plan, reason, because });
}

async function planOfOneStage(engine: ErrandEngine, errand: Errand, office: ErrandOffice): Promise<string> {
  const { path, gate } = wishOf(errand);
  // Whoever held the sessions may have died on another machine.
  await office.fetch(errand);
  return degradedPlan({
    title: errand.title,
    goal: goalOf(errand),
    created: errand.createdAt,
    designRef: designRef(errand),
    checks: await gateToExpect(engine.workspaceFor({ id: ERRANDS }), errand.commit, gate),
    template: engine.promptsFor({ id: errand.id, planPath: path ?? "" }).errands.templates.plan,
  });
}
