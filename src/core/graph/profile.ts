import type { StageId } from "../ids.ts";
import { criticalPath } from "./critical-path.ts";
import type { RunOrder } from "./with-synthesis.ts";

/** How much of a plan can run at the same time. */
export type Profile = {
  readonly stages: number;
  readonly levels: number;
  /** The size of the largest level. */
  readonly width: number;
  /** Stages that share their level with another one. */
  readonly parallelEligible: number;
  /** The stages of each level, in the order of the plan. */
  readonly batches: readonly (readonly StageId[])[];
  readonly criticalPath: readonly StageId[];
};

export function profileOf(graph: RunOrder): Profile {
  const batches: StageId[][] = [];
  for (const [id, level] of graph.levels) {
    const batch = batches[level] ?? [];
    batch.push(id);
    batches[level] = batch;
  }
  const wide = batches.filter((batch) => batch.length > 1);
  return {
    stages: graph.levels.size,
    levels: batches.length,
    width: batches.reduce((most, batch) => Math.max(most, batch.length), 0),
    parallelEligible: wide.reduce((sum, batch) => sum + batch.length, 0),
    batches,
    criticalPath: criticalPath(graph),
  };
}
