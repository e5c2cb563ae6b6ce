import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createAncestry } from "../../../src/core/graph/ancestry.ts";
import { buildGraph } from "../../../src/core/graph/stage-graph.ts";
import { acyclicGraph, chainOf } from "../../support/random-graph.ts";
import { ancestorsOf } from "../../support/reach.ts";

describe("createAncestry", () => {
  it("knows which stages may run at the same time", () => {
    const ancestry = createAncestry(
      buildGraph([
        { id: "base", dependencies: [] },
        { id: "left", dependencies: ["base"] },
        { id: "right", dependencies: ["base"] },
      ]),
    );
    expect(ancestry.mayOverlap("left", "right")).toBe(true);
    expect(ancestry.mayOverlap("base", "right")).toBe(false);
    expect(ancestry.mayOverlap("left", "left")).toBe(false);
  });

  it("finds dependencies that others bring along", () => {
    const ancestry = createAncestry(
      buildGraph([...chainOf(3), { id: "end", dependencies: ["s0", "s2", "s1"] }]),
    );
    expect(ancestry.redundantDependencies("end")).toEqual(["s0", "s1"]);
    expect(ancestry.redundantDependencies("s2")).toEqual([]);
  });

  it("agrees with walking through the graph", () => {
    fc.assert(
      fc.property(acyclicGraph, (stages) => {
        const graph = buildGraph(stages);
        const ancestry = createAncestry(graph);
        for (const { id, dependencies } of stages) {
          const ancestors = ancestorsOf(graph, id);
          for (const other of graph.order) expect(ancestry.isAncestor(other, id)).toBe(ancestors.has(other));
          const redundant = dependencies.filter((dependency) =>
            dependencies.some((other) => ancestorsOf(graph, other).has(dependency)),
          );
          expect(ancestry.redundantDependencies(id)).toEqual(redundant);
        }
      }),
    );
  });
});
