import { criticalPath } from "../../graph/critical-path.ts";
import type { StageGraph } from "../../graph/stage-graph.ts";
import type { StageId } from "../../ids.ts";
import type { Plan } from "../../plan/plan.ts";

/** What holds for stages that say nothing about themselves. */
export type PlanLimits = {
  readonly maxParallel: number;
  readonly retries: number;
  readonly timeoutSecs: number;
  readonly budgetUsd: number | null;
};

/** The most a plan can take: what its approver agrees to. */
export type Ceilings = {
  readonly costUsd: number | null;
  readonly parallel: number;
  /** Attempts of all stages together. */
  readonly attempts: number;
  /** If every attempt of every stage on the longest chain took all of its time. */
  readonly chainSecs: number;
  /** The time of all agents together. */
  readonly agentSecs: number;
  /** The chain of stages that can take longest. */
  readonly chain: readonly StageId[];
};

export function planCeilings(plan: Plan, graph: StageGraph, limits: PlanLimits): Ceilings {
  const stages = new Map(plan.stages.map((stage) => [stage.id, stage]));
  const attemptsOf = (id: StageId): number => 1 + (stages.get(id)?.retries ?? limits.retries);
  const secsOf = (id: StageId): number =>
    attemptsOf(id) * (stages.get(id)?.timeoutSecs ?? limits.timeoutSecs);
  const sum = (ids: readonly StageId[], amount: (id: StageId) => number): number =>
    ids.reduce((total, id) => total + amount(id), 0);
  const chain = criticalPath(graph, secsOf);
  const costs = [plan.budget.costUsd, limits.budgetUsd].filter((cost) => cost !== null);
  const wallClock = plan.budget.wallClockSecs ?? Number.POSITIVE_INFINITY;
  return {
    costUsd: costs.length > 0 ? Math.min(...costs) : null,
    parallel: Math.min(plan.maxParallel ?? limits.maxParallel, limits.maxParallel, graph.order.length),
    attempts: sum(graph.order, attemptsOf),
    chainSecs: Math.min(sum(chain, secsOf), wallClock),
    agentSecs: sum(graph.order, secsOf),
    chain,
  };
}
