import type { StageId } from "../ids.ts";
import type { StageGraph } from "./stage-graph.ts";

/** The chain of stages that takes longest, first to last. Of equal chains the one that comes first in the plan. */
export function criticalPath(graph: StageGraph, weight: (id: StageId) => number = () => 1): StageId[] {
  const best = new Map<StageId, { length: number; before: StageId | null }>();
  let end: StageId | null = null;
  for (const id of graph.order) {
    let before: StageId | null = null;
    for (const dependency of graph.dependencies.get(id) ?? []) {
      if (before === null || lengthOf(best, dependency) > lengthOf(best, before)) before = dependency;
    }
    best.set(id, { length: weight(id) + (before === null ? 0 : lengthOf(best, before)), before });
    if (end === null || lengthOf(best, id) > lengthOf(best, end)) end = id;
  }
  const path: StageId[] = [];
  for (let at = end; at !== null; at = best.get(at)?.before ?? null) path.push(at);
  return path.reverse();
}

function lengthOf(best: ReadonlyMap<StageId, { length: number }>, id: StageId): number {
  return best.get(id)?.length ?? 0;
}
