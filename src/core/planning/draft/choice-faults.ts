import type { Budget, Plan, StagePlan } from "../../plan/plan.ts";
import { planFields } from "../../plan/render-plan.ts";
import { shortLine } from "../../text/cut-text.ts";
import type { DraftFault } from "./draft-fault.ts";

/** Choices of people that a planner can't make: with what a stage is done, and what proves the project. */
export function choiceFaults(
  plan: Plan,
  stages: readonly StagePlan[],
  before: Plan | null,
  runsOn: string | null,
): DraftFault[] {
  return [
    ...gateFaults(plan, before),
    ...careFaults(plan, before),
    ...stages.flatMap((stage) => toolFaults(stage, before, runsOn)),
  ];
}

/** What people wrote about the whole plan is no part of what a planner is told to write, so it is easily lost. */
function careFaults(plan: Plan, before: Plan | null): DraftFault[] {
  if (!before) return [];
  const had = planFields(before);
  const lessCare = {
    merge: before.merge.mode === "review" && plan.merge.mode !== "review",
    max_parallel: isMore(plan.maxParallel, before.maxParallel),
    budget: BUDGETS.some((of) => isMore(of(plan.budget), of(before.budget))),
    sandbox:
      had.sandbox !== undefined && JSON.stringify(had.sandbox) !== JSON.stringify(planFields(plan).sandbox),
  };
  return Object.entries(lessCare).flatMap(([field, isLess]): DraftFault[] => {
    if (!isLess) return [];
    const was = shortLine(`${field}: ${JSON.stringify(had[field])}`, 300).replaceAll("`", "'");
    const text = `The plan had \`${was}\`, which a planner can't lift. Write it as it was.`;
    return [{ severity: "error", text, lacking: null }];
  });
}

const BUDGETS = [
  ({ wallClockSecs }: Budget) => wallClockSecs,
  ({ tokens }: Budget) => tokens,
  ({ costUsd }: Budget) => costUsd,
];

/** null: as much as there is. */
function isMore(now: number | null, had: number | null): boolean {
  return had !== null && (now === null || now > had);
}

/** A planner could make it pass (T7). */
function gateFaults({ gate }: Plan, before: Plan | null): DraftFault[] {
  const had = before?.gate ?? null;
  if (JSON.stringify(gate) === JSON.stringify(had)) return [];
  const fix = had === null ? "Leave `gate` out." : "Leave `gate` as it was.";
  const text = `The plan changes \`gate\`, the checks of the whole project, which a planner can't choose. ${fix}`;
  return [{ severity: "error", text, ...(gate === null ? { lacking: null } : {}) }];
}

const TOOLS = [
  ["harness", ({ harness }: StagePlan) => harness],
  ["model", ({ model }: StagePlan) => model],
  ["effort", ({ effort }: StagePlan) => effort],
  ["runs_on", ({ runsOn }: StagePlan) => runsOn],
] as const;

/**
 * Repository and operator choose these by routes and settings. An agent that is not installed would end the planning, and a
 * runner that nobody has would never take the stage. What people wrote into the plan before may be used in it again.
 */
function toolFaults(stage: StagePlan, before: Plan | null, runsOn: string | null): DraftFault[] {
  return TOOLS.flatMap(([field, of]): DraftFault[] => {
    const value = of(stage);
    const isKnown =
      (field === "runs_on" && value === runsOn) || before?.stages.some((one) => of(one) === value);
    if (value === null || isKnown) return [];
    const text = `The stage \`${stage.id}\` has \`${field}: ${shortLine(value, 60)}\`, which a planner can't choose. Leave it out.`;
    return [{ severity: "error", text }];
  });
}
