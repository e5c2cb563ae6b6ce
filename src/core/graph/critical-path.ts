import type { StageId } from "../ids.ts";
import type { RunOrder } from "./with-synthesis.ts";

/** The chain of stages that takes longest, first to last. Of equal chains the one that comes first in the plan. */
export function criticalPath(graph: RunOrder, weight: (id: StageId) => number = () => 1): StageId[] {
  const best = new Map<StageId, { length: number; before: StageId | null }>();
  // Synthesis stages share one list, which can be long.
  const known = new Map<readonly StageId[], StageId | null>();
  const longest = (ids: readonly StageId[]): StageId | null => {
    const found = known.get(ids) ?? ids.reduce<StageId | null>((one, id) => longer(best, one, id), null);
    known.set(ids, found);
    return found;
  };
  let end: StageId | null = null;
  for (const id of graph.order) {
    const before = longest(graph.dependencies.get(id) ?? []);
    best.set(id, { length: weight(id) + (before === null ? 0 : lengthOf(best, before)), before });
    end = longer(best, end, id);
  }
  const path: StageId[] = [];
  for (let at = end; at !== null; at = best.get(at)?.before ?? null) path.push(at);
  return path.reverse();
}

type Lengths = ReadonlyMap<StageId, { length: number }>;

function longer(best: Lengths, one: StageId | null, other: StageId): StageId {
  return one === null || lengthOf(best, other) > lengthOf(best, one) ? other : one;
}

function lengthOf(best: Lengths, id: StageId): number {
  return best.get(id)?.length ?? 0;
}
