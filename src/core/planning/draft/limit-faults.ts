import type { Plan, StagePlan } from "../../plan/plan.ts";
import type { PlanningLimits } from "../planning-input.ts";
import type { DraftFault } from "./draft-fault.ts";

/**
 * The limits that the planner was told hold for what it writes, whoever approves it: an express plan is approved before it
 * is there. A plan that people wrote may go further for a stage, and so may a change of it, as far as they went.
 */
export function limitFaults(
  plan: Plan,
  stages: readonly StagePlan[],
  before: Plan | null,
  limits: PlanningLimits,
): DraftFault[] {
  const had = before?.stages ?? [];
  const most = (limit: number, of: (stage: StagePlan) => number | null): number =>
    Math.max(limit, ...had.map((stage) => of(stage) ?? 0));
  const retries = most(limits.retries, (stage) => stage.retries);
  const timeout = most(limits.timeoutSecs, (stage) => stage.timeoutSecs);
  const parallel = Math.max(limits.maxParallel, before?.maxParallel ?? 0);
  const usd = Math.max(limits.budgetUsd ?? Number.POSITIVE_INFINITY, before?.budget.costUsd ?? 0);
  return [
    ...above("The plan", "max_parallel", plan.maxParallel, parallel),
    ...above("The plan", "budget.cost_usd", plan.budget.costUsd, usd),
    ...stages.flatMap((stage) => {
      const who = `The stage \`${stage.id}\``;
      return [
        ...above(who, "retries", stage.retries, retries),
        ...above(who, "timeout_secs", stage.timeoutSecs, timeout),
        ...stallFaults(stage, had, limits.noProgressSecs),
      ];
    }),
  ];
}

function above(who: string, field: string, value: number | null, most: number): DraftFault[] {
  if (value === null || value <= most) return [];
  const text = `${who} has \`${field}: ${value}\`; the most here is ${most}. Leave it out, or write less.`;
  return [{ severity: "error", text }];
}

/** 0 turns the guard off, so it is more than any other number. */
function stallFaults(stage: StagePlan, had: readonly StagePlan[], most: number): DraftFault[] {
  const { id, noProgressSecs: secs } = stage;
  if (secs === null || had.some(({ noProgressSecs }) => noProgressSecs === secs) || most === 0) return [];
  if (secs > 0) return above(`The stage \`${id}\``, "no_progress_secs", secs, most);
  const text = `The stage \`${id}\` has \`no_progress_secs: 0\`, which lets an agent hang for as long as it likes. Leave it out.`;
  return [{ severity: "error", text }];
}
