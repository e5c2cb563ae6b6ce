import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildGraph, type GraphNode } from "../../../src/core/graph/stage-graph.ts";
import { estimatePlan } from "../../../src/core/run/estimate-plan.ts";
import type { Run, StageRecord } from "../../../src/core/run/run.ts";
import { aRun, failure, START } from "../../support/a-run.ts";
import type { StageFields } from "../../support/plan-text.ts";
import { propertyRuns } from "../../support/property-runs.ts";
import { acyclicGraph } from "../../support/random-graph.ts";

type Told = StageFields & { readonly secs: number; readonly costUsd?: number | null };

/** A run whose stages took so long and cost so much. */
function anEarlierRun(stages: readonly Told[]): Run {
  const { run } = aRun(stages.map(({ secs: _, costUsd: __, ...fields }) => fields));
  const done = new Map<string, StageRecord>();
  for (const { id, secs, costUsd = null } of stages) {
    const record = run.stages.get(id);
    if (!record) throw new Error(`no stage ${id}`);
    done.set(id, {
      ...record,
      state: { kind: "completed", commit: "a", merged: "b" },
      startedAt: new Date(START).toISOString(),
      endedAt: new Date(START + secs * 1000).toISOString(),
      usage: costUsd === null ? null : { inputTokens: 1, outputTokens: 1, costUsd },
    });
  }
  return { ...run, stages: done };
}

const planOf = (stages: readonly StageFields[]) => aRun(stages).run;
const estimate = (stages: readonly StageFields[], earlier: readonly Run[], maxParallel = 4) => {
  const { plan, graph } = planOf(stages);
  return estimatePlan(plan, graph, earlier, maxParallel);
};
const minutes = (count: number): number => count * 60_000;

describe("the estimate of a plan", () => {
  it("is none without a stage that an agent completed", () => {
    const failed = aRun([{ id: "a" }])
      .starts("a")
      .blocks("a", failure("agent-failed", "no"));
    expect(estimate([{ id: "x" }], [])).toBeNull();
    expect(estimate([{ id: "x" }], [failed.run])).toBeNull();
    const done = anEarlierRun([{ id: "a", secs: 60 }]);
    const record = done.stages.get("a") as StageRecord;
    const byPerson = { ...done, stages: new Map([["a", { ...record, takenBy: "ann" }]]) };
    expect(estimate([{ id: "x" }], [byPerson])).toBeNull();
  });

  it("reads what a run that was told step by step took", () => {
    const story = aRun([{ id: "a" }]);
    story.at(0).starts("a").at(90).passes("a").finishes("completed");
    expect(estimate([{ id: "x" }, { id: "y", dependencies: ["x"] }], [story.run])).toEqual({
      costUsd: { typical: 0.1, high: 0.1 },
      timeMs: { typical: 180_000, high: 180_000 },
      basis: { stages: 1, runs: 1 },
    });
  });

  it("counts what a stage took until it was published, not how long its pull request lay there", () => {
    const story = aRun([{ id: "a" }]);
    story.at(0).starts("a").at(90).commits("a").verifies("a").publishes("a");
    story.at(86_400).publishes("a").merges("a").finishes("completed");
    expect(estimate([{ id: "x" }], [story.run])?.timeMs).toEqual({ typical: 90_000, high: 90_000 });
  });

  it("takes the middle for typical and the ninth of ten for high", () => {
    const stages = Array.from({ length: 11 }, (_, n) => ({ id: `s${n}`, secs: 60 * n, costUsd: n }));
    expect(estimate([{ id: "x" }], [anEarlierRun(stages)])).toEqual({
      costUsd: { typical: 5, high: 9 },
      timeMs: { typical: minutes(5), high: minutes(9) },
      basis: { stages: 11, runs: 1 },
    });
  });

  it("adds up costs, and times along the longest chain", () => {
    const earlier = [anEarlierRun([{ id: "a", secs: 60, costUsd: 2 }])];
    const diamond = [
      { id: "a" },
      { id: "b", dependencies: ["a"] },
      { id: "c", dependencies: ["a"] },
      { id: "d", dependencies: ["b", "c"] },
    ];
    expect(estimate(diamond, earlier)).toMatchObject({
      costUsd: { typical: 8, high: 8 },
      timeMs: { typical: minutes(3), high: minutes(3) },
    });
  });

  it("counts a synthesis stage behind all others", () => {
    const earlier = [anEarlierRun([{ id: "a", secs: 60 }])];
    const stages = [{ id: "a" }, { id: "b", dependencies: ["a"] }, { id: "s", synthesis: true }];
    expect(estimate(stages, earlier)?.timeMs.typical).toBe(minutes(3));
  });

  it("takes longer when fewer may run at a time", () => {
    const earlier = [anEarlierRun([{ id: "a", secs: 60 }])];
    const wide = ["a", "b", "c", "d"].map((id) => ({ id }));
    expect([4, 2, 1, 0].map((most) => estimate(wide, earlier, most)?.timeMs.typical)).toEqual([
      minutes(1),
      minutes(2),
      minutes(4),
      minutes(4),
    ]);
  });

  it("measures a stage by its like once there are five of them", () => {
    const many = (count: number, fields: object, secs: number, costUsd: number) =>
      Array.from({ length: count }, (_, n) => ({ id: `s${n}`, secs, costUsd, ...fields }));
    const low = anEarlierRun(many(5, { effort: "low" }, 60, 1));
    const high = anEarlierRun(many(5, { effort: "high" }, 600, 10));
    const looks = anEarlierRun(many(5, { stage_type: "knowledge" }, 30, 0.5));
    const typical = (stage: object, earlier: readonly Run[]) =>
      estimate([{ id: "x", ...stage }], earlier)?.costUsd?.typical;
    expect(typical({ effort: "low" }, [low, high, looks])).toBe(1);
    expect(typical({ effort: "high" }, [low, high, looks])).toBe(10);
    expect(typical({ stage_type: "knowledge" }, [low, high, looks])).toBe(0.5);
    // None of this effort, but ten of the type: five of 1 and five of 10.
    expect(typical({ effort: "medium" }, [low, high, looks])).toBe(5.5);
    // Neither: all fifteen.
    expect(typical({ stage_type: "code-review" }, [low, high, looks])).toBe(1);
  });

  it("knows no cost when nobody said one, and leaves those out that did not", () => {
    expect(estimate([{ id: "x" }], [anEarlierRun([{ id: "a", secs: 1 }])])?.costUsd).toBeNull();
    const mixed = anEarlierRun([
      { id: "a", secs: 60 },
      { id: "b", secs: 60, costUsd: 3 },
    ]);
    expect(estimate([{ id: "x" }], [mixed])).toMatchObject({
      costUsd: { typical: 3, high: 3 },
      basis: { stages: 2, runs: 1 },
    });
  });

  it("holds its bounds for every plan and every past", () => {
    const past = fc.array(
      fc.array(fc.record({ secs: fc.nat(100_000), costUsd: fc.option(fc.integer({ min: 0, max: 50 })) }), {
        minLength: 1,
        maxLength: 8,
      }),
      { minLength: 1, maxLength: 4 },
    );
    fc.assert(
      fc.property(acyclicGraph, past, fc.integer({ min: 1, max: 6 }), (nodes, runs, most) => {
        const earlier = runs.map((stages) => anEarlierRun(stages.map((one, n) => ({ id: `s${n}`, ...one }))));
        const graph = buildGraph(nodes);
        const plan = { stages: stagesOf(nodes) };
        const found = estimatePlan(plan, graph, earlier, most);
        const wider = estimatePlan(plan, graph, earlier.toReversed(), most + 1);
        if (!found || !wider) throw new Error("there were completed stages");
        const all = runs.flat();
        const longest = Math.max(...all.map(({ secs }) => secs)) * 1000;
        expect(found.timeMs.typical).toBeLessThanOrEqual(found.timeMs.high);
        expect(found.timeMs.high).toBeLessThanOrEqual(longest * nodes.length + 1e-6);
        expect(wider.timeMs.high).toBeLessThanOrEqual(found.timeMs.high);
        expect(wider.costUsd).toEqual(found.costUsd);
        expect(found.costUsd === null).toBe(all.every(({ costUsd }) => costUsd === null));
        if (found.costUsd) expect(found.costUsd.typical).toBeLessThanOrEqual(found.costUsd.high);
        expect(found.basis).toEqual({ stages: all.length, runs: runs.length });
      }),
      { numRuns: propertyRuns(1) },
    );
  });
});

function stagesOf(nodes: readonly GraphNode[]) {
  const [model] = planOf([{ id: "a" }]).plan.stages;
  if (!model) throw new Error("a plan has a stage");
  return nodes.map((node) => ({ ...model, ...node }));
}
