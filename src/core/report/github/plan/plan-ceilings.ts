import { criticalPath } from "../../../graph/critical-path.ts";
import { type RunOrder, withSynthesis } from "../../../graph/with-synthesis.ts";
import type { StageId } from "../../../ids.ts";
import { code } from "../../../markdown/escape-markdown.ts";
import type { Plan } from "../../../plan/plan.ts";
import { counted, formatElapsed } from "../../../text/durations.ts";
import { listSome } from "../../../text/list-some.ts";

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
  /** Stages that allow themselves more than the others get; null: only the other amount is more. */
  readonly beyond: readonly {
    readonly id: StageId;
    readonly retries: number | null;
    readonly timeoutSecs: number | null;
  }[];
};

export function planCeilings(plan: Plan, graph: RunOrder, limits: PlanLimits): Ceilings {
  const stages = new Map(plan.stages.map((stage) => [stage.id, stage]));
  const attemptsOf = (id: StageId): number => 1 + (stages.get(id)?.retries ?? limits.retries);
  const secsOf = (id: StageId): number =>
    attemptsOf(id) * (stages.get(id)?.timeoutSecs ?? limits.timeoutSecs);
  const sum = (ids: readonly StageId[], amount: (id: StageId) => number): number =>
    ids.reduce((total, id) => total + amount(id), 0);
  const order = withSynthesis(graph, plan.stages);
  const chain = criticalPath(order, secsOf);
  // Of a chain one stage runs at a time, so all but one of the longest never run beside the others.
  const beside = graph.order.length - criticalPath(order).length + 1;
  const costs = [plan.budget.costUsd, limits.budgetUsd].filter((cost) => cost !== null);
  const wallClock = plan.budget.wallClockSecs ?? Number.POSITIVE_INFINITY;
  return {
    costUsd: costs.length > 0 ? Math.min(...costs) : null,
    parallel: Math.min(plan.maxParallel ?? limits.maxParallel, limits.maxParallel, beside),
    attempts: sum(graph.order, attemptsOf),
    chainSecs: Math.min(sum(chain, secsOf), wallClock),
    agentSecs: sum(graph.order, secsOf),
    chain,
    beyond: plan.stages.flatMap(({ id, retries, timeoutSecs }) => {
      const more = {
        retries: moreThan(limits.retries, retries),
        timeoutSecs: moreThan(limits.timeoutSecs, timeoutSecs),
      };
      return more.retries === null && more.timeoutSecs === null ? [] : [{ id, ...more }];
    }),
  };
}

function moreThan(limit: number, amount: number | null): number | null {
  return amount !== null && amount > limit ? amount : null;
}

/** A plan that people wrote may allow its stages more than the repository does; whoever approves it has to know. */
export function beyondLimits({ beyond }: Ceilings, limits: PlanLimits): string {
  const shown = listSome(beyond, 12, ({ id, retries, timeoutSecs }) => {
    const more = [
      ...(retries === null ? [] : [counted(retries + 1, "attempt")]),
      ...(timeoutSecs === null ? [] : [`${formatElapsed(timeoutSecs * 1000)} each`]),
    ];
    return `${code(id)} (${more.join(", ")})`;
  });
  const usual = `${counted(limits.retries + 1, "attempt")}, ${formatElapsed(limits.timeoutSecs * 1000)} each`;
  return `${shown}; other stages get ${usual}`;
}
