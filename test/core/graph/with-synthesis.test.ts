import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { criticalPath } from "../../../src/core/graph/critical-path.ts";
import { profileOf } from "../../../src/core/graph/profile.ts";
import { buildGraph, type GraphNode } from "../../../src/core/graph/stage-graph.ts";
import { withSynthesis } from "../../../src/core/graph/with-synthesis.ts";
import { acyclicGraph } from "../../support/random-graph.ts";

type Node = GraphNode & { readonly synthesis: boolean };

const stage = (id: string, ...dependencies: string[]): Node => ({ id, dependencies, synthesis: false });
const last = (id: string, ...dependencies: string[]): Node => ({ id, dependencies, synthesis: true });
const orderOf = (stages: readonly Node[]) => withSynthesis(buildGraph(stages), stages);

describe("the order with synthesis stages", () => {
  it("is that of the graph when there are none", () => {
    const graph = buildGraph([stage("a"), stage("b", "a")]);
    expect(withSynthesis(graph, [stage("a"), stage("b", "a")])).toBe(graph);
  });

  it("lets them wait for all others, by the stages that nothing else waits for", () => {
    const order = orderOf([last("all", "a"), stage("a"), stage("b", "a"), stage("c"), last("too")]);
    expect(order.order).toEqual(["a", "b", "c", "all", "too"]);
    expect(Object.fromEntries(order.dependencies)).toEqual({
      all: ["b", "c"],
      a: [],
      b: ["a"],
      c: [],
      too: ["b", "c"],
    });
    expect(Object.fromEntries(order.levels)).toEqual({ all: 2, a: 0, b: 1, c: 0, too: 2 });
    expect(profileOf(order).batches).toEqual([["a", "c"], ["b"], ["all", "too"]]);
  });

  it("is the same when it is asked for twice, and begins with them when there is nothing else", () => {
    const stages = [stage("a"), last("all")];
    const order = orderOf(stages);
    expect(withSynthesis(order, stages)).toEqual(order);
    expect([...orderOf([last("x"), last("y")]).levels.values()]).toEqual([0, 0]);
  });

  it("is as long as the graph of all edges that are meant", () => {
    fc.assert(
      fc.property(acyclicGraph, fc.array(fc.integer({ min: 1, max: 9 })), (nodes, hours) => {
        const needed = new Set(nodes.flatMap(({ dependencies }) => dependencies));
        const stages = nodes.map((node) => ({ ...node, synthesis: !needed.has(node.id) }));
        const others = stages.filter(({ synthesis }) => !synthesis).map(({ id }) => id);
        const meant = buildGraph(
          stages.map((one) => ({ ...one, dependencies: one.synthesis ? others : one.dependencies })),
        );
        const weight = (id: string): number => hours[Number(id.slice(1))] ?? 1;
        const length = (path: readonly string[]): number => path.reduce((sum, id) => sum + weight(id), 0);
        const order = orderOf(stages);
        expect(order.levels).toEqual(meant.levels);
        expect(length(criticalPath(order, weight))).toBe(length(criticalPath(meant, weight)));
      }),
    );
  });

  it("is made in a moment for 10,000 stages of which every second one comes last", () => {
    const stages = Array.from({ length: 10_000 }, (_, n) => (n % 2 === 0 ? stage(`s${n}`) : last(`s${n}`)));
    expect(profileOf(orderOf(stages))).toMatchObject({ levels: 2, criticalPath: ["s0", "s1"] });
  });
});
