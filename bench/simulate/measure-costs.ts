import { once } from "node:events";
import { Redis } from "ioredis";
import { connectRedis } from "../../src/adapters/redis/connect-redis.ts";
import { createRedisJobQueue } from "../../src/adapters/redis/jobs/job-queue.ts";
import { createRawRedisRunStore } from "../../src/adapters/redis/ledger/run-store.ts";
import { evolve } from "../../src/core/run/evolve/evolve.ts";
import { createRunLedgers } from "../../src/engine/run/run-ledgers.ts";
import type { Job } from "../../src/ports/job-queue.ts";
import { halfway, timeDecide } from "../decide.ts";
import { grid } from "../graphs.ts";
import { sealedRuns } from "../support/ledger-store.ts";
import { redisCpu } from "../support/redis-memory.ts";
import { runMany } from "../support/run-many.ts";
import { livesOf } from "../support/stage-life.ts";
import type { Costs, World } from "./costs.ts";

const AT = "2026-01-01T00:00:00.000Z";
const TIMES = 400;
const RUN = "costs-1";

/** CPU of this process and of Redis, in milliseconds, for each of so many times. */
type Spent = { readonly own: number; readonly redis: number };

export type Measured = {
  readonly costs: Costs;
  readonly requests: Pick<World, "content" | "writes" | "reads">;
};

/** What each thing costs here and now; the least disturbed of three tries. */
export async function measureCosts(url: string, say: (text: string) => void): Promise<Measured> {
  const redis = new Redis(url);
  try {
    await once(redis, "ready");
    const ledger = await ledgerCosts(redis);
    const jobs = await jobCosts(url, redis);
    const { base, each } = decideCosts();
    const real = await runMany({ redisUrl: url, runs: 2, repositories: 1, workers: 1, files: 200 }, say);
    const costs: Costs = {
      redis: { ...ledger.redis, ...jobs.redis, rest: restOf(real.cpuMs.redis, ledger.redis, jobs.redis) },
      worker: {
        ...ledger.worker,
        job: jobs.own,
        planEach: planCost(),
        decide: base,
        decideEach: each,
        stage: real.cpuMs.workers,
        mirror: real.prepareMs,
      },
      app: real.cpuMs.app,
    };
    return { costs, requests: real.requests };
  } finally {
    redis.disconnect();
  }
}

/** A stage that goes well is eleven appends, each told to one who watches, and some six jobs. */
function restOf(
  all: number,
  { append, load }: { append: number; load: number },
  { enqueue, job }: { enqueue: number; job: number },
): number {
  return Math.max(0, all - 11 * (append + 3 * load + 2 * enqueue) - 6 * job);
}

async function spend(redis: Redis, work: () => Promise<unknown>): Promise<Spent> {
  let least: Spent = { own: Number.POSITIVE_INFINITY, redis: Number.POSITIVE_INFINITY };
  for (let turn = 0; turn < 3; turn += 1) {
    const before = await redisCpu(redis);
    const began = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(began);
    const spent = { own: (user + system) / 1000 / TIMES, redis: ((await redisCpu(redis)) - before) / TIMES };
    least = { own: Math.min(least.own, spent.own), redis: Math.min(least.redis, spent.redis) };
  }
  return least;
}

async function ledgerCosts(redis: Redis) {
  const open = () => createRunLedgers(sealedRuns(createRawRedisRunStore({ redis, scope: "r9" })), () => {});
  const [runs, other] = [open(), open()];
  const [created = [], ...others] = [...livesOf(RUN, grid(2, 5), AT)];
  await runs.create(RUN, created);
  for (const events of others.slice(0, 60)) await runs.write(RUN, () => events);
  const pause = { type: "run-paused", at: AT, cause: { kind: "person", by: "ada" } } as const;
  await other.load(RUN);
  const look = await spend(redis, async () => {
    for (let n = 0; n < TIMES; n += 1) await other.load(RUN);
  });
  const write = await spend(redis, async () => {
    for (let n = 0; n < TIMES; n += 1) await runs.write(RUN, () => [pause]);
  });
  await other.load(RUN);
  const all = await spend(redis, async () => {
    await open().load(RUN);
  });
  const { version } = await runs.get(RUN);
  const event = (all.own * TIMES) / version;
  return {
    redis: { load: look.redis, append: Math.max(0, write.redis - look.redis) },
    worker: { load: look.own, event, append: Math.max(0, write.own - look.own - event) },
  };
}

async function jobCosts(url: string, redis: Redis) {
  const connection = await connectRedis(url, { role: "worker", onWarning: () => {} });
  const queue = createRedisJobQueue({ redis: connection, name: "costs" });
  try {
    const show: Job = { kind: "show", repo: "r9", run: RUN };
    const again = await spend(redis, async () => {
      for (let n = 0; n < TIMES; n += 1) await queue.enqueue(show, { delayMs: 3_600_000 });
    });
    let done = 0;
    let onAllDone = (): void => {};
    queue.process(
      async () => {
        done += 1;
        if (done % TIMES === 0) setImmediate(onAllDone);
      },
      { concurrency: { advance: 4 }, attempts: 1, onGivenUp: async () => {} },
    );
    let asked = 0;
    const one = await spend(redis, async () => {
      const allDone = new Promise<void>((resolve) => {
        onAllDone = resolve;
      });
      for (let n = 0; n < TIMES; n += 1)
        await queue.enqueue({ kind: "advance", repo: "r9", run: `run-${asked++}` });
      await allDone;
    });
    return { own: one.own, redis: { enqueue: again.redis, job: one.redis } };
  } finally {
    await queue.close();
    connection.disconnect();
  }
}

/** One look at a run: a part that is always there, and one for each stage. */
function decideCosts(): { base: number; each: number } {
  const [small, large] = [10, 1_000].map((size) => {
    const run = halfway(size);
    const turns = Array.from({ length: 9 }, () => timeDecide(run, 200_000 / size / 10));
    return Math.min(...turns) / 1e6;
  }) as [number, number];
  const each = (large - small) / 990;
  return { base: Math.max(0, small - 10 * each), each };
}

/** For each stage of a plan that is read for the first time. */
function planCost(): number {
  const [created = []] = [...livesOf(RUN, grid(10, 10), AT)];
  const turns = Array.from({ length: 5 }, () => {
    const began = process.cpuUsage();
    evolve(null, created);
    const { user, system } = process.cpuUsage(began);
    return (user + system) / 1000 / 100;
  });
  return Math.min(...turns);
}
