import type { StageGraph } from "../../src/core/graph/stage-graph.ts";
import type { StageId } from "../../src/core/ids.ts";

/** All that has to be done before the stage, directly or not. */
export function ancestorsOf(graph: StageGraph, id: StageId): ReadonlySet<StageId> {
  return reach(graph.dependencies, id);
}

/** All that waits for the stage, directly or not. */
export function descendantsOf(graph: StageGraph, id: StageId): ReadonlySet<StageId> {
  return reach(graph.dependents, id);
}

function reach(edges: ReadonlyMap<StageId, readonly StageId[]>, from: StageId): ReadonlySet<StageId> {
  const seen = new Set<StageId>();
  const waiting = [...(edges.get(from) ?? [])];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (seen.has(id)) continue;
    seen.add(id);
    for (const next of edges.get(id) ?? []) waiting.push(next);
  }
  return seen;
}
