import { criticalPath } from "../graph/critical-path.ts";
import type { StageGraph } from "../graph/stage-graph.ts";
import type { StageId } from "../ids.ts";
import type { Plan } from "../plan/plan.ts";

/** How much of a plan can run at the same time. Synthesis stages come after all others without saying so. */
export type ParallelProfile = {
  readonly stages: number;
  /** Those of one batch can run side by side; in the order of the plan. */
  readonly batches: readonly (readonly StageId[])[];
  /** The size of the largest batch. */
  readonly widest: number;
  /** Stages that share their batch with another one. */
  readonly parallel: number;
  /** The same as a part of all stages, from 0 to 1. */
  readonly share: number;
  readonly criticalPath: readonly StageId[];
};

/** Without a plan, by dependencies alone. */
export function parallelProfile(graph: StageGraph, plan: Pick<Plan, "stages"> | null): ParallelProfile {
  const last = (plan?.stages ?? []).flatMap(({ id, synthesis }) => (synthesis ? [id] : []));
  const isLast = new Set(last);
  const levels: StageId[][] = [];
  for (const [id, level] of graph.levels) {
    if (isLast.has(id)) continue;
    const batch = levels[level] ?? [];
    batch.push(id);
    levels[level] = batch;
  }
  // Nothing waits for a synthesis stage, so no level but the last ones can have become empty.
  const batches = [...Object.values(levels), ...(last.length > 0 ? [last] : [])];
  const parallel = batches.reduce((sum, { length }) => sum + (length > 1 ? length : 0), 0);
  const stages = graph.levels.size;
  const path = criticalPath(graph, (id) => (isLast.has(id) ? 0 : 1)).filter((id) => !isLast.has(id));
  return {
    stages,
    batches,
    widest: batches.reduce((most, { length }) => Math.max(most, length), 0),
    parallel,
    share: stages === 0 ? 0 : parallel / stages,
    criticalPath: [...path, ...last.slice(0, 1)],
  };
}
