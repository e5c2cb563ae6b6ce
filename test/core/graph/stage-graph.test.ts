import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InternalError } from "../../../src/core/errors.ts";
import { buildGraph } from "../../../src/core/graph/stage-graph.ts";
import { acyclicGraph, chainOf } from "../../support/random-graph.ts";
import { ancestorsOf, descendantsOf } from "../../support/reach.ts";

const diamond = [
  { id: "merge", dependencies: ["left", "right"] },
  { id: "left", dependencies: ["base"] },
  { id: "right", dependencies: ["base"] },
  { id: "base", dependencies: [] },
];

describe("buildGraph", () => {
  it("puts dependencies first and keeps the order of the plan otherwise", () => {
    expect(buildGraph(diamond).order).toEqual(["base", "left", "right", "merge"]);
  });

  it("keeps the order of a plan that is in order already", () => {
    const stages = [
      { id: "a", dependencies: [] },
      { id: "b", dependencies: ["a"] },
      { id: "c", dependencies: [] },
      { id: "d", dependencies: ["c", "b"] },
    ];
    expect(buildGraph(stages).order).toEqual(["a", "b", "c", "d"]);
  });

  it("counts levels from the beginning and heights from the end", () => {
    const { levels, heights } = buildGraph(diamond);
    expect(Object.fromEntries(levels)).toEqual({ merge: 2, left: 1, right: 1, base: 0 });
    expect(Object.fromEntries(heights)).toEqual({ merge: 0, left: 1, right: 1, base: 2 });
  });

  it("knows dependents and everything before and behind a stage", () => {
    const graph = buildGraph(diamond);
    expect(graph.dependents.get("base")).toEqual(["left", "right"]);
    expect([...ancestorsOf(graph, "merge")].sort()).toEqual(["base", "left", "right"]);
    expect([...descendantsOf(graph, "left")]).toEqual(["merge"]);
  });

  it("takes a chain of 10,000 stages", () => {
    const graph = buildGraph(chainOf(10_000).reverse());
    expect(graph.levels.get("s9999")).toBe(9999);
    expect(graph.heights.get("s0")).toBe(9999);
    expect(ancestorsOf(graph, "s9999").size).toBe(9999);
  });

  it("calls it a defect when nobody has checked the stages before", () => {
    expect(() => buildGraph([{ id: "a", dependencies: ["b"] }])).toThrow(InternalError);
    expect(() => buildGraph([{ id: "a", dependencies: ["a"] }])).toThrow("on a cycle");
    const twice = { id: "a", dependencies: [] };
    expect(() => buildGraph([twice, twice])).toThrow("same id");
  });

  it("orders, levels and heights respect every edge", () => {
    fc.assert(
      fc.property(acyclicGraph, (stages) => {
        const { order, levels, heights, dependents } = buildGraph(stages);
        const place = new Map(order.map((id, index) => [id, index]));
        expect([...order].sort()).toEqual(stages.map(({ id }) => id).sort());
        for (const { id, dependencies } of stages) {
          const below = dependencies.map((dependency) => levels.get(dependency) ?? -1);
          expect(levels.get(id)).toBe(Math.max(-1, ...below) + 1);
          const above = (dependents.get(id) ?? []).map((dependent) => heights.get(dependent) ?? -1);
          expect(heights.get(id)).toBe(Math.max(-1, ...above) + 1);
          for (const dependency of dependencies) {
            expect(place.get(dependency)).toBeLessThan(place.get(id) ?? -1);
            expect(dependents.get(dependency)).toContain(id);
          }
        }
      }),
    );
  });
});
