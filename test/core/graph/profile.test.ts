import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { criticalPath } from "../../../src/core/graph/critical-path.ts";
import { profileOf } from "../../../src/core/graph/profile.ts";
import { buildGraph } from "../../../src/core/graph/stage-graph.ts";
import { acyclicGraph, chainOf } from "../../support/random-graph.ts";

const graph = buildGraph([
  { id: "base", dependencies: [] },
  { id: "left", dependencies: ["base"] },
  { id: "right", dependencies: ["base"] },
  { id: "alone", dependencies: [] },
  { id: "end", dependencies: ["left", "right"] },
]);

describe("criticalPath", () => {
  it("is the longest chain, the first of equals", () => {
    expect(criticalPath(graph)).toEqual(["base", "left", "end"]);
  });

  it("counts what each stage takes", () => {
    const hours: Record<string, number> = { right: 5, alone: 4 };
    expect(criticalPath(graph, (id) => hours[id] ?? 1)).toEqual(["base", "right", "end"]);
    expect(criticalPath(graph, (id) => (id === "alone" ? 100 : 1))).toEqual(["alone"]);
  });

  it("has one stage of each level when all take the same", () => {
    fc.assert(
      fc.property(acyclicGraph, (stages) => {
        const { levels, ...rest } = buildGraph(stages);
        const path = criticalPath({ levels, ...rest });
        expect(path.map((id) => levels.get(id))).toEqual(path.map((_, index) => index));
        expect(path).toHaveLength(Math.max(...levels.values()) + 1);
      }),
    );
  });
});

describe("profileOf", () => {
  it("tells how wide and how long a plan is", () => {
    expect(profileOf(graph)).toEqual({
      stages: 5,
      levels: 3,
      width: 2,
      parallelEligible: 4,
      batches: [["base", "alone"], ["left", "right"], ["end"]],
      criticalPath: ["base", "left", "end"],
    });
  });

  it("has nothing to say about no stages", () => {
    expect(profileOf(buildGraph([]))).toEqual({
      stages: 0,
      levels: 0,
      width: 0,
      parallelEligible: 0,
      batches: [],
      criticalPath: [],
    });
  });

  it("finds no parallel stage in a chain", () => {
    expect(profileOf(buildGraph(chainOf(10_000)))).toMatchObject({
      levels: 10_000,
      width: 1,
      parallelEligible: 0,
    });
  });
});
