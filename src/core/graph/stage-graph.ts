import { InternalError } from "../errors.ts";
import type { StageId } from "../ids.ts";

export type GraphNode = { readonly id: StageId; readonly dependencies: readonly StageId[] };

/** What can be said about the stages from their dependencies alone. Maps are in the order of the plan. */
export type StageGraph = {
  /** Dependencies first; a plan that is written in such an order keeps it. */
  readonly order: readonly StageId[];
  /** 0 without dependencies, else one more than the highest of them. */
  readonly levels: ReadonlyMap<StageId, number>;
  /** 0 without dependents, else one more than the highest of them: how far the end is. */
  readonly heights: ReadonlyMap<StageId, number>;
  readonly dependencies: ReadonlyMap<StageId, readonly StageId[]>;
  readonly dependents: ReadonlyMap<StageId, readonly StageId[]>;
  /** For each place in `order`, the places of its dependencies: for passes over the whole graph, where names cost time. */
  readonly needs: readonly (readonly number[])[];
};

/**
 * Needs what the rules of a plan have made sure of: unique ids, known dependencies, no cycle. Linear, and without
 * recursion: a chain of 10,000 stages is as legal as a fan.
 */
export function buildGraph(stages: readonly GraphNode[]): StageGraph {
  const dependencies = new Map(stages.map(({ id, dependencies }) => [id, dependencies]));
  if (dependencies.size < stages.length) throw new InternalError("two stages of the graph have the same id");
  const order = sortTopologically(dependencies);
  const dependents = new Map<StageId, StageId[]>(stages.map(({ id }) => [id, []]));
  const levels = new Map<StageId, number>(stages.map(({ id }) => [id, 0]));
  const heights = new Map(levels);
  for (const id of order) {
    for (const dependency of dependencies.get(id) ?? []) {
      dependents.get(dependency)?.push(id);
      levels.set(id, Math.max(levels.get(id) ?? 0, (levels.get(dependency) ?? 0) + 1));
    }
  }
  for (const id of order.toReversed()) {
    for (const dependent of dependents.get(id) ?? []) {
      heights.set(id, Math.max(heights.get(id) ?? 0, (heights.get(dependent) ?? 0) + 1));
    }
  }
  const places = new Map(order.map((id, place) => [id, place]));
  const needs = order.map((id) => (dependencies.get(id) ?? []).map((one) => places.get(one) ?? -1));
  return { order, levels, heights, dependencies, dependents, needs };
}

/** Goes through the plan and takes whatever a stage still waits for before the stage itself. */
function sortTopologically(dependencies: ReadonlyMap<StageId, readonly StageId[]>): StageId[] {
  const order: StageId[] = [];
  const state = new Map<StageId, "open" | "done">();
  for (const root of dependencies.keys()) {
    const path: { id: StageId; next: number }[] = [];
    if (!state.has(root)) path.push(enter(root, state));
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const dependency = dependencies.get(top.id)?.[top.next];
      top.next += 1;
      if (dependency === undefined) {
        state.set(top.id, "done");
        order.push(top.id);
        path.pop();
      } else if (!dependencies.has(dependency)) {
        throw new InternalError(`stage ${top.id} depends on ${dependency}, which the graph does not have`);
      } else if (state.get(dependency) === "open") {
        throw new InternalError(`stages ${top.id} and ${dependency} are on a cycle`);
      } else if (!state.has(dependency)) {
        path.push(enter(dependency, state));
      }
    }
  }
  return order;
}

function enter(id: StageId, state: Map<StageId, "open" | "done">): { id: StageId; next: number } {
  state.set(id, "open");
  return { id, next: 0 };
}
