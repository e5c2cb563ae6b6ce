import { profileOf } from "../graph/profile.ts";
import { type RunOrder, withSynthesis } from "../graph/with-synthesis.ts";
import type { StageId } from "../ids.ts";
import type { Plan } from "../plan/plan.ts";

/** How much of a plan can run at the same time, in the words of the reports. */
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
export function parallelProfile(graph: RunOrder, plan: Pick<Plan, "stages"> | null): ParallelProfile {
  const profile = profileOf(plan ? withSynthesis(graph, plan.stages) : graph);
  const { stages, batches, width, parallelEligible, criticalPath } = profile;
  return {
    stages,
    batches,
    widest: width,
    parallel: parallelEligible,
    share: stages === 0 ? 0 : parallelEligible / stages,
    criticalPath,
  };
}
