import fc from "fast-check";
import type { GraphNode } from "../../src/core/graph/stage-graph.ts";

type Edge = readonly [number, number];

function toNodes(ids: readonly string[], edges: readonly Edge[]): GraphNode[] {
  const dependencies = new Map<string, Set<string>>(ids.map((id) => [id, new Set()]));
  for (const [from, to] of edges) {
    const [id, dependency] = [ids[from % ids.length], ids[to % ids.length]];
    if (id !== undefined && dependency !== undefined) dependencies.get(id)?.add(dependency);
  }
  return ids.map((id) => ({ id, dependencies: [...(dependencies.get(id) ?? [])] }));
}

const sizes = fc.integer({ min: 1, max: 14 });
const edgesOf = (size: number) =>
  fc.array(fc.tuple(fc.nat(size - 1), fc.nat(size - 1)), { maxLength: size * 2 });

/** Any dependencies, to itself and in circles included. */
export const anyGraph: fc.Arbitrary<GraphNode[]> = sizes.chain((size) =>
  edgesOf(size).map((edges) =>
    toNodes(
      Array.from({ length: size }, (_, index) => `s${index}`),
      edges,
    ),
  ),
);

/** Without cycles, and written down in any order. */
export const acyclicGraph: fc.Arbitrary<GraphNode[]> = sizes.chain((size) => {
  const ids = Array.from({ length: size }, (_, index) => `s${index}`);
  return fc.tuple(edgesOf(size), fc.shuffledSubarray(ids, { minLength: size })).map(([edges, order]) =>
    toNodes(
      order,
      edges.flatMap(([a, b]): Edge[] => (a === b ? [] : [[Math.max(a, b), Math.min(a, b)]])),
    ),
  );
});

/** A chain of this many stages, each waiting for the one before. */
export function chainOf(length: number): GraphNode[] {
  return Array.from({ length }, (_, index) => ({
    id: `s${index}`,
    dependencies: index === 0 ? [] : [`s${index - 1}`],
  }));
}
