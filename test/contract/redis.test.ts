import { Queue } from "bullmq";
import type { Redis } from "ioredis";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { createRedisCache } from "../../src/adapters/redis/cache.ts";
import { connectRedis } from "../../src/adapters/redis/connect-redis.ts";
import { createRedisInbox, createRedisInboxOf } from "../../src/adapters/redis/inbox.ts";
import { createRedisIntake } from "../../src/adapters/redis/intake.ts";
import { createRedisJobQueue } from "../../src/adapters/redis/jobs/job-queue.ts";
import { createRedisLeases } from "../../src/adapters/redis/leases.ts";
import { createRawRedisRunStore, createRedisRunStore } from "../../src/adapters/redis/ledger/run-store.ts";
import { createRawRedisTaskStore, createRedisTaskStore } from "../../src/adapters/redis/ledger/task-store.ts";
import type { LedgerStore } from "../../src/ports/ledger-store.ts";
import { type RedisServer, startRedis } from "../adapters/redis/redis-server.ts";
import { until } from "../support/living-processes.ts";
import { SEALS } from "../support/seals.ts";
import { describeCache } from "./cache.contract.ts";
import { describeInbox } from "./inbox.contract.ts";
import { describeIntake } from "./intake.contract.ts";
import { describeJobQueue } from "./job-queue.contract.ts";
import { describeLeases } from "./leases.contract.ts";
import { describeLedgerStore, type StoreUnderTest } from "./ledger-store.contract.ts";
import { RUN_SAMPLE, TASK_SAMPLE } from "./sample-events.ts";

let server: RedisServer;
let redis: Redis;
let other: Redis;
let count = 0;

beforeAll(async () => {
  server = await startRedis();
  redis = await connectRedis(server.url, { role: "worker" });
  other = await connectRedis(server.url, { role: "producer" });
});
afterAll(async () => {
  redis.disconnect();
  other.disconnect();
  await server.dispose();
});

async function inScope<E>(
  create: (options: { redis: Redis; scope: string }) => LedgerStore<E>,
): Promise<StoreUnderTest<E>> {
  const scope = `r${++count}`;
  const stores: LedgerStore<E>[] = [];
  const open = async (connection = other) => {
    const store = create({ redis: connection, scope });
    stores.push(store);
    return store;
  };
  return {
    store: await open(redis),
    reopen: open,
    async dispose() {
      for (const store of stores) await store.close();
    },
  };
}

it("a Redis cache keeps nothing of entries that have had their time, although nobody lists them", async () => {
  const scope = `r${++count}`;
  const cache = createRedisCache({ redis, scope });
  const keys = async (): Promise<number[]> =>
    Promise.all(["index", "times"].map((name) => redis.zcard(`loom:{cache/${scope}}:${name}`)));
  for (let n = 0; n < 10; n += 1) await cache.set(`reply/${n}`, "x", { ttlMs: 1 });
  await until(async () => (await cache.get("reply/9")) === null, "all have had their time");
  await cache.set("renewed", "x", { ttlMs: 1 });
  await cache.set("renewed", "stays");
  for (let n = 0; n < 3; n += 1) await cache.set("other", "x", { ttlMs: 600_000 });
  expect(await keys()).toEqual([2, 1]);
  expect([...(await cache.list("")).keys()].sort()).toEqual(["other", "renewed"]);
  await cache.remove("other");
  expect(await keys()).toEqual([1, 0]);
});

describeLedgerStore("redis", RUN_SAMPLE, () => inScope(createRedisRunStore));
describeLedgerStore("redis", TASK_SAMPLE, () => inScope(createRedisTaskStore));

describeLedgerStore("sealed redis", RUN_SAMPLE, () =>
  inScope(({ scope, ...options }) => SEALS.runs(createRawRedisRunStore({ ...options, scope }), scope)),
);
describeLedgerStore("sealed redis", TASK_SAMPLE, () =>
  inScope(({ scope, ...options }) => SEALS.tasks(createRawRedisTaskStore({ ...options, scope }), scope)),
);

describeJobQueue("redis", async () => {
  const name = `queue-${++count}`;
  let time = 1_000_000;
  let isClosed = false;
  const queue = createRedisJobQueue({ redis, name, time: { now: () => time, timersEveryMs: 5 } });
  const close = (): Promise<void> => {
    isClosed = true;
    return queue.close();
  };
  return {
    queue: { ...queue, close },
    async advance(ms) {
      time += ms;
      // What is due when this process has closed its queue is another's to take.
      await quiet(name, isClosed ? 0 : time);
    },
    dispose: close,
  };
});

/** What was due has been handed out, and nothing moves any more. */
async function quiet(name: string, time: number): Promise<void> {
  const look = async (): Promise<string> => {
    const names = await redis.smembers(`{${name}}:queues`);
    const counts = await Promise.all(names.map((queue) => countsOf(name, queue)));
    const due = await redis.zcount(`{${name}}:timers`, "-inf", time);
    return JSON.stringify([due + (await redis.zcard(`{${name}}:timers:fired`)), ...counts]);
  };
  let before = "";
  let same = 0;
  await until(async () => {
    const now = await look();
    same = now === before && now.startsWith("[0") ? same + 1 : 0;
    before = now;
    return same >= 5;
  }, "the queue is quiet");
}

async function countsOf(name: string, queue: string): Promise<unknown> {
  const opened = new Queue(queue, { connection: redis, prefix: `{${name}}` });
  try {
    return await opened.getJobCounts("wait", "active", "delayed");
  } finally {
    await opened.close();
  }
}

describeInbox("redis", async () => {
  const name = `inbox-${++count}`;
  return {
    inbox: createRedisInbox({ redis, name }),
    reopen: async () => createRedisInbox({ redis: other, name }),
    dispose: async () => {},
  };
});

describeInbox("sealed redis", async () => {
  const name = `inbox-${++count}`;
  const open = (connection: Redis) =>
    SEALS.inbox(createRedisInboxOf({ redis: connection, name, schema: z.unknown() }));
  return { inbox: open(redis), reopen: async () => open(other), dispose: async () => {} };
});

describeIntake("sealed redis", async () => {
  const name = `inbox-${++count}`;
  const queue = createRedisJobQueue({ redis, name, inbox: name });
  return {
    intake: SEALS.intake(createRedisIntake({ redis: other, inbox: name })),
    other: SEALS.intake(createRedisIntake({ redis, inbox: name })),
    inbox: SEALS.inbox(createRedisInboxOf({ redis, name, schema: z.unknown() })),
    queue,
    dispose: () => queue.close(),
  };
});

describeCache("sealed redis", async () => {
  const scope = `r${++count}`;
  const open = (connection: Redis) => SEALS.cache(createRedisCache({ redis: connection, scope }), scope);
  return { cache: open(redis), reopen: async () => open(other), dispose: async () => {} };
});

describeLeases("redis", async () => {
  await redis.flushall();
  const leases = createRedisLeases({ redis, ttlMs: 5000 });
  return { leases, dispose: () => leases.close() };
});

describeCache("redis", async () => {
  const scope = `r${++count}`;
  return {
    cache: createRedisCache({ redis, scope }),
    reopen: async () => createRedisCache({ redis: other, scope }),
    dispose: async () => {},
  };
});
