import type { PlanDocument } from "../../core/planning/compose-plan.ts";
import { DESIGN_FILE } from "../../core/planning/design-ref.ts";
import type { DraftRules } from "../../core/planning/draft/check-draft.ts";
import { aroundPlan, isComposed } from "../../core/planning/keep-document.ts";
import { readPlanGoal, readPlanProse } from "../../core/planning/read-plan-prose.ts";
import type { Task } from "../../core/task/task.ts";
import { shortText } from "../../core/text/cut-text.ts";
import type { PlanToAmend } from "./task-channel.ts";

type Kept = Pick<DraftRules, "title" | "goal" | "designRef" | "amends" | "document" | "settled">;

/** What a changed plan keeps of the one before. */
export function keptOf({ plan, planText, design, settled }: PlanToAmend, { title }: Task): Kept {
  return {
    title: plan.name ?? title,
    goal: readPlanGoal(planText),
    designRef: design === null ? null : DESIGN_FILE,
    amends: plan,
    document: planText,
    settled,
  };
}

const MAX_CHARS = 20_000;

/** What the planner is told of the document besides the plan; graph and tables of Loom's own say nothing new. */
export function wordsAround(
  { plan, planText }: PlanToAmend,
  frame: Omit<PlanDocument, "plan" | "sections">,
): string {
  if (!isComposed(planText, { ...frame, plan })) return shortText(aroundPlan(planText), MAX_CHARS);
  const { why = "", outOfScope = "", risks = "" } = readPlanProse(planText) ?? {};
  const sections = [
    ["Why these stages", why],
    ["Out of scope", outOfScope],
    ["Risks", risks],
  ];
  return sections.flatMap(([title, text]) => (text === "" ? [] : [`## ${title}\n\n${text}`])).join("\n\n");
}
