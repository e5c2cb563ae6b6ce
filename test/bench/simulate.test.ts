import { describe, expect, it } from "vitest";
import { createClock } from "../../bench/simulate/clock.ts";
import type { Costs, World } from "../../bench/simulate/costs.ts";
import { describeSimulated } from "../../bench/simulate/describe.ts";
import { createLimit, createResource, takeFrom } from "../../bench/simulate/resources.ts";
import { type Simulated, simulate } from "../../bench/simulate/simulate.ts";
import { createEmbeddedRunStore } from "../../src/adapters/embedded/run-store.ts";
import { tempFolder } from "../support/git-repo.ts";

const COSTS: Costs = {
  redis: { append: 0.03, load: 0.02, enqueue: 0.03, job: 0.2, rest: 10 },
  worker: {
    ...{ append: 0.05, load: 0.1, event: 0.02, planEach: 0.1, job: 0.3 },
    ...{ decide: 0.003, decideEach: 0.0002, stage: 500, mirror: 100 },
  },
  app: 100,
};
const WORLD: World = {
  ...{ workers: 2, slots: 1, runs: 3, wide: 2, deep: 2, repositories: 1 },
  ...{ agentMs: 60_000, gateMs: 5_000, githubMs: 300, content: 2, writes: 4, reads: 10 },
};

/** On a store of its own, which decides for real who of two writers wins. */
async function simulated(world: Partial<World> = {}, costs: Costs = COSTS): Promise<Simulated> {
  const store = createEmbeddedRunStore({ root: tempFolder() });
  try {
    return await simulate(store, { ...WORLD, ...world }, costs);
  } finally {
    await store.close();
  }
}

describe("simulated time", () => {
  it("goes from one event to the next, in the order in which they were asked for", async () => {
    const clock = createClock();
    const seen: string[] = [];
    async function* told(name: string, ...pauses: number[]) {
      for (const pause of pauses) {
        seen.push(`${name} at ${clock.now()}`);
        yield clock.now() + pause;
      }
      seen.push(`${name} ends at ${clock.now()}`);
    }
    clock.start(told("one", 10, 10));
    clock.start(told("two", 5, 5), 5);
    clock.start(told("three", 20));
    await clock.run();
    expect(seen).toEqual([
      "one at 0",
      "three at 0",
      "two at 5",
      "one at 10",
      "two at 10",
      "two ends at 15",
      "three ends at 20",
      "one ends at 20",
    ]);
  });

  it("has one after the other use what there is one of, and two what there are two of", () => {
    const [one, two] = [createResource("one"), createResource("two", 2)];
    expect([one.use(0, 10), one.use(2, 10), one.use(50, 10)]).toEqual([10, 20, 60]);
    expect([two.use(0, 10), two.use(2, 10), two.use(2, 10)]).toEqual([10, 12, 20]);
    expect(one.busyMs).toBe(30);
  });

  it("lets so many through in any stretch of a limit's length, and nobody overtake", () => {
    const [minute, hour] = [createLimit("minute", 2, 60), createLimit("hour", 3, 3_600)];
    const go = (now: number, amount = 1) =>
      takeFrom(
        [
          [minute, amount],
          [hour, amount],
        ],
        now,
      );
    expect([go(0), go(1), go(2), go(3)]).toEqual([0, 1, 60, 3_600]);
    expect(go(3_601, 2)).toBe(3_660);
  });
});

describe("a simulated service", () => {
  it("merges every stage of every run, and tells the same story twice", async () => {
    const one = await simulated();
    expect(one).toMatchObject({ stages: 12, appends: 3 * (4 * 10 + 4) });
    expect(await simulated()).toEqual(one);
  });

  it("says that agents are what there is too little of, and by how much", async () => {
    const { capacities, stagesPerHour } = await simulated({ runs: 4, wide: 4 });
    const [first, next] = capacities;
    expect(first?.name).toBe("agents");
    expect(first?.used).toBeGreaterThan(0.9);
    expect(stagesPerHour).toBeLessThan(first?.stagesPerHour ?? 0);
    expect(next?.stagesPerHour).toBeGreaterThan(first?.stagesPerHour ?? Number.POSITIVE_INFINITY);
  });

  it("says that GitHub is, where agents are quick and all work for one installation", async () => {
    const quick = { workers: 8, runs: 6, agentMs: 1_000, gateMs: 100, reads: 600 };
    const all = await simulated(quick);
    expect(all.capacities[0]?.name).toBe("GitHub: 5,000 requests an hour");
    expect(describeSimulated("Quick agents", all)[1]).toMatch(
      /^ {2}The bottleneck is GitHub: 5,000 requests an hour\. The next one, .+, carries \d+\.\d times as much\.$/,
    );
    const spread = await simulated({ ...quick, repositories: 6 });
    expect(spread.hours).toBeLessThan(all.hours / 2);
  });

  it("has the store refuse who was too late, and loses nothing by it", async () => {
    const slow = {
      ...COSTS,
      redis: { ...COSTS.redis, append: 400 },
      worker: { ...COSTS.worker, append: 900 },
    };
    const { conflicts, appends, stages } = await simulated({ workers: 12, wide: 4, agentMs: 5_000 }, slow);
    expect(conflicts).toBeGreaterThan(0);
    expect(stages).toBe(24);
    // Each stage once; how many looks it took to queue them is a matter of luck.
    expect(appends).toBeGreaterThanOrEqual(24 * 10);
  });
});
