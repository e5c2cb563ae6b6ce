import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findCycle, findCycles } from "../../../src/core/graph/find-cycles.ts";
import { acyclicGraph, anyGraph, chainOf } from "../../support/random-graph.ts";

describe("findCycle", () => {
  it("names the stages of the cycle, beginning with the one that comes first in the plan", () => {
    const stages = [
      { id: "free", dependencies: ["c"] },
      { id: "a", dependencies: ["b"] },
      { id: "b", dependencies: ["c"] },
      { id: "c", dependencies: ["a"] },
    ];
    expect(findCycle(stages)).toEqual(["a", "b", "c"]);
  });

  it("finds a stage that waits for itself", () => {
    expect(findCycle([{ id: "a", dependencies: ["a"] }])).toEqual(["a"]);
  });

  it("finds one cycle in each knot", () => {
    const stages = [
      { id: "a", dependencies: ["b"] },
      { id: "b", dependencies: ["a"] },
      { id: "c", dependencies: ["d", "a"] },
      { id: "d", dependencies: ["c"] },
    ];
    expect(findCycles(stages)).toEqual([
      ["a", "b"],
      ["c", "d"],
    ]);
  });

  it("passes over dependencies that are not there", () => {
    expect(findCycle([{ id: "a", dependencies: ["nowhere"] }])).toBeNull();
  });

  it("follows a cycle through 10,000 stages", () => {
    const [first, ...rest] = chainOf(10_000);
    expect(findCycle([{ id: first?.id ?? "", dependencies: ["s9999"] }, ...rest])).toHaveLength(10_000);
  });

  it("finds none where there is none", () => {
    fc.assert(
      fc.property(acyclicGraph, (stages) => {
        expect(findCycle(stages)).toBeNull();
      }),
    );
  });

  it("finds one exactly when there is one, and it is one", () => {
    fc.assert(
      fc.property(anyGraph, (stages) => {
        const dependencies = new Map(stages.map(({ id, dependencies }) => [id, dependencies]));
        const cycle = findCycle(stages);
        expect(cycle !== null).toBe(canReachItself(dependencies));
        for (const [index, id] of (cycle ?? []).entries()) {
          expect(dependencies.get(id)).toContain(cycle?.[(index + 1) % cycle.length]);
        }
        expect(new Set(cycle ?? []).size).toBe(cycle?.length ?? 0);
      }),
    );
  });
});

/** The slow and obvious way: walk from every stage and see whether it is met again. */
function canReachItself(dependencies: ReadonlyMap<string, readonly string[]>): boolean {
  return [...dependencies.keys()].some((start) => {
    const seen = new Set<string>();
    const walk = (id: string): boolean =>
      (dependencies.get(id) ?? []).some((next) => {
        if (next === start) return true;
        if (seen.has(next)) return false;
        seen.add(next);
        return walk(next);
      });
    return walk(start);
  });
}
