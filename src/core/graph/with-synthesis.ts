import type { StageId } from "../ids.ts";
import type { StageGraph } from "./stage-graph.ts";

/** What the stages of a plan wait for, and so in which order they can run. */
export type RunOrder = Pick<StageGraph, "order" | "levels" | "dependencies">;

/**
 * The graph as it will run: synthesis stages come after all others without saying so. They get an edge from each
 * stage that no other one waits for, because the rest follows from these. All of them share one list: with an edge list
 * each, a plan that is one half synthesis would take the square of its length.
 */
export function withSynthesis(
  graph: RunOrder,
  stages: readonly { readonly id: StageId; readonly synthesis: boolean }[],
): RunOrder {
  const last = new Set(stages.flatMap(({ id, synthesis }) => (synthesis ? [id] : [])));
  if (last.size === 0) return graph;
  const others = graph.order.filter((id) => !last.has(id));
  const needed = new Set(others.flatMap((id) => graph.dependencies.get(id) ?? []));
  const ends = others.filter((id) => !needed.has(id));
  const level = others.reduce((most, id) => Math.max(most, (graph.levels.get(id) ?? 0) + 1), 0);
  return {
    order: [...others, ...graph.order.filter((id) => last.has(id))],
    levels: new Map([...graph.levels].map(([id, own]) => [id, last.has(id) ? level : own])),
    dependencies: new Map([...graph.dependencies].map(([id, own]) => [id, last.has(id) ? ends : own])),
  };
}
