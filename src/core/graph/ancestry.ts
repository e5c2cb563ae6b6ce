import type { StageId } from "../ids.ts";
import type { StageGraph } from "./stage-graph.ts";

/**
 * Who comes before whom, for rules that look at many pairs. One bit per pair of stages: 12 MB for 10,000 of them, and
 * an answer in constant time, where a walk per question would take minutes.
 */
export type Ancestry = {
  /** `ancestor` is finished before `id` starts. */
  isAncestor(ancestor: StageId, id: StageId): boolean;
  /** Nothing keeps the two from running at the same time. */
  mayOverlap(a: StageId, b: StageId): boolean;
  /** Those of the stage's dependencies that another of its dependencies brings along anyway. */
  redundantDependencies(id: StageId): StageId[];
};

export function createAncestry(graph: StageGraph): Ancestry {
  const words = Math.ceil(graph.order.length / 32);
  const place = new Map(graph.order.map((id, index) => [id, index]));
  const placeOf = (id: StageId): number => place.get(id) ?? 0;
  const table = new Uint32Array(words * graph.order.length);
  const dependenciesOf = (id: StageId): readonly StageId[] => graph.dependencies.get(id) ?? [];

  /** Adds the ancestors of a stage to the row that begins at `row`. */
  const addAncestors = (target: Uint32Array, row: number, id: StageId): void => {
    const source = placeOf(id) * words;
    for (let word = 0; word < words; word += 1) {
      target[row + word] = (target[row + word] ?? 0) | (table[source + word] ?? 0);
    }
  };
  const has = (bits: Uint32Array, row: number, id: StageId): boolean => {
    const index = placeOf(id);
    return ((bits[row + (index >> 5)] ?? 0) & (1 << (index & 31))) !== 0;
  };

  for (const id of graph.order) {
    const row = placeOf(id) * words;
    for (const dependency of dependenciesOf(id)) {
      addAncestors(table, row, dependency);
      const index = placeOf(dependency);
      table[row + (index >> 5)] = (table[row + (index >> 5)] ?? 0) | (1 << (index & 31));
    }
  }

  const isAncestor = (ancestor: StageId, id: StageId): boolean => has(table, placeOf(id) * words, ancestor);
  const indirect = new Uint32Array(words);
  return {
    isAncestor,
    mayOverlap: (a, b) => a !== b && !isAncestor(a, b) && !isAncestor(b, a),
    redundantDependencies(id) {
      const direct = dependenciesOf(id);
      if (direct.length < 2) return [];
      indirect.fill(0);
      for (const dependency of direct) addAncestors(indirect, 0, dependency);
      return direct.filter((dependency) => has(indirect, 0, dependency));
    },
  };
}
