import { Redis } from "ioredis";
import { createRedisRunStore } from "../src/adapters/redis/ledger/run-store.ts";
import type { Measurement, Result } from "./result.ts";
import type { World } from "./simulate/costs.ts";
import { describeSimulated } from "./simulate/describe.ts";
import { type Measured, measureCosts } from "./simulate/measure-costs.ts";
import { type Simulated, simulate } from "./simulate/simulate.ts";
import { openRedis } from "./support/open-redis.ts";

type Say = (text: string) => void;

const GIVEN: Omit<World, "content" | "writes" | "reads"> = {
  workers: 100,
  slots: 1,
  runs: 1_000,
  wide: 2,
  deep: 5,
  repositories: 1,
  agentMs: 360_000,
  gateMs: 60_000,
  githubMs: 300,
};

/** The same 10,000 stages, in many small runs and in a few large ones, in one repository and in as many as there are runs. */
const CASES: Readonly<Record<string, Partial<World>>> = {
  "1,000 runs of 10 stages, one repository": {},
  "1,000 runs of 10 stages, 100 repositories": { repositories: 100 },
  "100 runs of 100 stages, 100 repositories": { runs: 100, wide: 10, deep: 10, repositories: 100 },
  "10 runs of 1,000 stages, 10 repositories": { runs: 10, wide: 20, deep: 50, repositories: 10 },
};

/**
 * 10,000 stages on 100 workers, in simulated time: the real `decide`, fold and scripts of the store, and what was measured
 * just before. Says where it would get narrow first, and what comes next.
 */
export async function benchSimulate(say: Say): Promise<Measurement[]> {
  const redis = await openRedis();
  if (!redis)
    return [
      {
        id: "simulate.redis",
        name: NAMES.redis,
        leftOut: "REDIS_URL is not set and redis-server is not installed",
      },
    ];
  const connection = new Redis(redis.url);
  try {
    const measured = await measureCosts(redis.url, say);
    say(describeCosts(measured));
    const outcomes: Record<string, Simulated> = {};
    for (const [place, [name, own]] of Object.entries(CASES).entries()) {
      const world = { ...GIVEN, ...measured.requests, ...own };
      const store = createRedisRunStore({ redis: connection, scope: `r${place + 1}` });
      const simulated = await simulate(store, world, measured.costs);
      await store.close();
      outcomes[name] = simulated;
      for (const line of describeSimulated(name, simulated)) say(line);
    }
    return results(outcomes, measured);
  } finally {
    connection.disconnect();
    await redis.close();
  }
}

const NAMES = {
  redis: "10,000 stages on 100 workers: Redis used, in the narrowest case",
  conflicts: "10,000 stages on 100 workers: appends that another writer was faster than, in the worst case",
  spread:
    "10,000 stages on 100 workers in 100 repositories: stages an hour against what the agents alone would need",
} as const;

function results(outcomes: Readonly<Record<string, Simulated>>, measured: Measured): Result[] {
  const all = Object.values(outcomes);
  const usedOf = (simulated: Simulated, name: string): number =>
    simulated.capacities.find((one) => one.name === name)?.used ?? Number.NaN;
  const detail = { given: GIVEN, measured, outcomes };
  const result = (id: keyof typeof NAMES, value: number, unit: string): Result => ({
    id: `simulate.${id}`,
    name: NAMES[id],
    value,
    unit,
    detail,
  });
  const spread = outcomes["1,000 runs of 10 stages, 100 repositories"];
  return [
    result("redis", 100 * Math.max(...all.map((one) => usedOf(one, "Redis"))), "%"),
    result(
      "conflicts",
      100 * Math.max(...all.map(({ conflicts, appends }) => conflicts / (appends + conflicts))),
      "%",
    ),
    result("spread", spread ? 1 / usedOf(spread, "agents") : Number.NaN, "×"),
  ];
}

function describeCosts({ costs, requests }: Measured): string {
  const ms = (value: number): string => `${value.toPrecision(2)} ms`;
  const { redis, worker, app } = costs;
  return [
    "measured, in CPU:",
    `  Redis: ${ms(redis.append)} an append, ${ms(redis.load)} a look, ${ms(redis.job)} a job, ${ms(redis.rest)} all else for a stage`,
    `  a worker: ${ms(worker.append)} an append, ${ms(worker.load)} a look, ${ms(worker.event)} an event, ${ms(worker.job)} a job, ` +
      `${ms(worker.decide)} a decision and ${ms(1000 * worker.decideEach)} for each 1,000 stages; ${ms(worker.stage)} a stage, its git included`,
    `  the App: ${ms(app)} a stage`,
    `  requests to GitHub for each stage: ${requests.content.toFixed(1)} that make content, ${requests.writes.toFixed(1)} other writes, ${requests.reads.toFixed(1)} reads`,
  ].join("\n");
}
