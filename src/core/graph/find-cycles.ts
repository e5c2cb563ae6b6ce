import type { StageId } from "../ids.ts";
import type { GraphNode } from "./stage-graph.ts";

/** The first cycle, as it is told to people: each stage depends on the next one, the last on the first. */
export function findCycle(stages: readonly GraphNode[]): StageId[] | null {
  return findCycles(stages)[0] ?? null;
}

/**
 * One cycle from each knot of stages that wait for each other, so that separate mistakes are reported at once and one
 * mistake only once. Dependencies that are not among the stages are passed over.
 */
export function findCycles(stages: readonly GraphNode[]): StageId[][] {
  const dependencies = new Map(stages.map(({ id, dependencies }) => [id, dependencies]));
  const knots = findKnots(dependencies);
  const position = new Map(stages.map(({ id }, index) => [id, index]));
  const place = (id: StageId): number => position.get(id) ?? 0;
  return knots
    .map((knot) => walkInside(knot, knot.reduce(earlier(place)), dependencies))
    .map((cycle) => startAt(cycle, cycle.reduce(earlier(place))))
    .sort(([a = ""], [b = ""]) => place(a) - place(b));
}

function earlier(place: (id: StageId) => number): (a: StageId, b: StageId) => StageId {
  return (a, b) => (place(a) <= place(b) ? a : b);
}

/**
 * Tarjan's strongly connected components with an explicit stack. Those with a single stage count only when it depends
 * on itself.
 */
function findKnots(dependencies: ReadonlyMap<StageId, readonly StageId[]>): StageId[][] {
  const index = new Map<StageId, number>();
  const low = new Map<StageId, number>();
  const pending: StageId[] = [];
  const isPending = new Set<StageId>();
  const knots: StageId[][] = [];
  const lower = (id: StageId, to: number): void => {
    low.set(id, Math.min(low.get(id) ?? to, to));
  };
  const enter = (id: StageId): { id: StageId; next: number } => {
    index.set(id, index.size);
    low.set(id, index.get(id) ?? 0);
    pending.push(id);
    isPending.add(id);
    return { id, next: 0 };
  };

  for (const root of dependencies.keys()) {
    const path = index.has(root) ? [] : [enter(root)];
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const { id } = top;
      const dependency = dependencies.get(id)?.[top.next];
      top.next += 1;
      if (dependency !== undefined) {
        if (!dependencies.has(dependency)) continue;
        if (!index.has(dependency)) path.push(enter(dependency));
        else if (isPending.has(dependency)) lower(id, index.get(dependency) ?? 0);
        continue;
      }
      path.pop();
      const parent = path.at(-1);
      if (parent) lower(parent.id, low.get(id) ?? 0);
      if (low.get(id) !== index.get(id)) continue;
      const knot = pending.splice(pending.lastIndexOf(id));
      for (const member of knot) isPending.delete(member);
      if (knot.length > 1 || dependencies.get(id)?.includes(id)) knots.push(knot);
    }
  }
  return knots;
}

/** Inside a knot every stage has a dependency inside it, so the walk must come back to where it has been. */
function walkInside(
  knot: readonly StageId[],
  from: StageId,
  dependencies: ReadonlyMap<StageId, readonly StageId[]>,
): StageId[] {
  const members = new Set(knot);
  const seen = new Map<StageId, number>();
  const walk: StageId[] = [];
  let at: StageId | undefined = from;
  while (at !== undefined && !seen.has(at)) {
    seen.set(at, walk.length);
    walk.push(at);
    at = dependencies.get(at)?.find((id) => members.has(id));
  }
  return at === undefined ? walk : walk.slice(seen.get(at));
}

function startAt(cycle: readonly StageId[], first: StageId): StageId[] {
  const start = cycle.indexOf(first);
  return [...cycle.slice(start), ...cycle.slice(0, start)];
}
