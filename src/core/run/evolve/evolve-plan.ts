import { InternalError } from "../../errors.ts";
import { buildGraph } from "../../graph/stage-graph.ts";
import { type RunId, type StageId, stageBranch } from "../../ids.ts";
import type { CommandCheck, Plan, StagePlan } from "../../plan/plan.ts";
import { parsePlan } from "../../plan/read/parse-plan.ts";
import { gateChecks } from "../../verify/criteria.ts";
import { amendPlan, saysTheSame, standingOf } from "../amend-plan.ts";
import type { RunEventOf } from "../events.ts";
import type { Run, StageRecord } from "../run.ts";
import { moveStage } from "../stage-state.ts";
import { freshRecord } from "./fresh-record.ts";

/**
 * The run with another plan. Finished stages keep their records, and so do unfinished ones that say the same; one that
 * says something else starts over, with what it has used so far and without any work, under attempt numbers that nobody
 * has used: whatever comes of an older attempt finds that it holds nothing.
 */
export function evolvePlan(run: Run, event: RunEventOf<"plan-amended">): Partial<Run> {
  const plan = readPlan(run, event);
  const amendment = amendPlan(run, plan);
  if (amendment.kind === "refused")
    throw new InternalError(
      `the plan of run ${run.id} can't be changed so: ${JSON.stringify(amendment.problems[0])}`,
    );
  const graph = buildGraph(plan.stages);
  const gateParts = { ...run.gateParts, synthesised: event.gate ?? run.gateParts.synthesised };
  const gate = gateOf(plan, gateParts);
  const isRedrawn =
    amendment.kind === "amended" &&
    (amendment.added.length > 0 || amendment.changed.some(({ fields }) => fields.join() !== "name"));
  const context: Context = {
    run: run.id,
    isRedrawn,
    isProvedOtherwise: JSON.stringify(gate) !== JSON.stringify(run.gate),
  };
  const plans = new Map(plan.stages.map((stage) => [stage.id, stage]));
  const stages = new Map<StageId, StageRecord>();
  const removed = new Map(run.removed);
  for (const [id, record] of run.stages) if (!plans.has(id)) removed.set(id, record);
  for (const id of graph.order) {
    const stage = plans.get(id);
    if (!stage) continue;
    const former = removed.get(id);
    removed.delete(id);
    const record = run.stages.get(id);
    stages.set(
      id,
      record
        ? goneOn(record, stage, context)
        : former
          ? startedOver(former, stage, context)
          : freshRecord(stage),
    );
  }
  const { by, via, key, blob, planText, maxParallel, budgetUsd } = event;
  return {
    plan,
    planText,
    planVersion: run.planVersion + 1,
    amended: { by, via, blob, ...(key === undefined ? {} : { key }) },
    refusedEdit: null,
    planning: planningAfter(run, event),
    graph,
    gate,
    gateParts,
    // A plan may ask for more care than the run began with, never for less.
    merge: plan.merge.mode === "review" ? { ...run.merge, mode: "review" } : run.merge,
    settings: {
      ...run.settings,
      ...(maxParallel === undefined ? {} : { maxParallel }),
      ...(budgetUsd === undefined ? {} : { budgetUsd }),
    },
    stalls: 0,
    stages,
    removed,
  };
}

export function gateOf(plan: Pick<Plan, "gate">, { synthesised, also }: Run["gateParts"]): CommandCheck[] {
  return [...(plan.gate ?? gateChecks([...(synthesised ?? [])])), ...gateChecks([...also])];
}

function readPlan(run: Run, { planText }: RunEventOf<"plan-amended">): Plan {
  const { plan, problems } = parsePlan(planText, { origin: "elsewhere", isRecorded: true });
  if (plan) return plan;
  throw new InternalError(
    `the new plan of run ${run.id} does not load: ${problems[0]?.message ?? "no reason"}`,
  );
}

type Context = {
  readonly run: RunId;
  /** Stages came, or say something else. */
  readonly isRedrawn: boolean;
  /** The gate is another one. */
  readonly isProvedOtherwise: boolean;
};

function goneOn(before: StageRecord, plan: StagePlan, context: Context): StageRecord {
  const { isRedrawn, isProvedOtherwise } = context;
  const record = { ...before, plan };
  if (standingOf(before)) return record;
  // What comes after all other stages does so again when there are others.
  if (!saysTheSame(before.plan, plan) || (plan.synthesis && isRedrawn))
    return startedOver(before, plan, context);
  const { state } = before;
  if (state.kind === "blocked" && state.failure.kind === "dependency")
    return { ...record, state: moveStage(plan.id, state, { kind: "waiting-for-deps" }), endedAt: null };
  if (!isProvedOtherwise || before.verdict === null) return record;
  const isVerified = state.kind === "executing" && state.phase === "verified";
  return { ...record, verdict: null, ...(isVerified ? { state: { ...state, phase: "committed" } } : {}) };
}

function startedOver(before: StageRecord, plan: StagePlan, { run }: Context): StageRecord {
  const { state, branch, commit } = before;
  // A job for an attempt that was queued under the older plan has to find that it is not wanted.
  const attempts = Math.max(before.attempts, state.kind === "queued" ? state.attempt : 0);
  const isAway =
    state.kind === "blocked" &&
    (state.failure.kind === "branch-taken" || state.failure.kind === "pull-closed");
  // Its branch may just be on its way; what is found there is Loom's own either way.
  const isOnItsWay = state.kind === "executing" && state.phase === "verified" && commit !== null;
  const own = branch ?? (isOnItsWay ? { name: stageBranch(run, plan.id), tip: commit } : null);
  return {
    ...freshRecord(plan),
    attempts,
    firstAttempt: attempts + 1,
    branch: isAway ? null : own,
    pr: isAway ? null : before.pr,
    usage: before.usage,
    usageBy: before.usageBy,
    startedAt: before.startedAt,
  };
}

/** What was said of the planner's draft is of no account for a plan that somebody wrote. */
function planningAfter({ planning }: Run, { key, notes }: RunEventOf<"plan-amended">): Run["planning"] {
  if (notes) return { task: key ?? "", design: null, ...planning, notes };
  return planning && { ...planning, notes: [] };
}
