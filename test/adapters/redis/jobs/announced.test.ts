import type { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { connectRedis } from "../../../../src/adapters/redis/connect-redis.ts";
import { createRedisIntake } from "../../../../src/adapters/redis/intake.ts";
import { announcedKey } from "../../../../src/adapters/redis/jobs/announced.ts";
import { createRedisJobQueue } from "../../../../src/adapters/redis/jobs/job-queue.ts";
import type { JobQueue } from "../../../../src/ports/job-queue.ts";
import { until } from "../../../support/living-processes.ts";
import { type RedisServer, startRedis } from "../redis-server.ts";

let server: RedisServer;
let worker: Redis;
let producer: Redis;
let inbox: string;
let queues: JobQueue[] = [];
let taken: string[] = [];
let dropped: string[] = [];
let count = 0;

beforeAll(async () => {
  server = await startRedis();
  worker = await connectRedis(server.url, { role: "worker" });
  producer = await connectRedis(server.url, { role: "producer" });
});
afterAll(async () => {
  worker.disconnect();
  producer.disconnect();
  await server.dispose();
});
beforeEach(() => {
  inbox = `inbox-${++count}`;
  taken = [];
  dropped = [];
});
afterEach(async () => {
  await Promise.all(queues.map((queue) => queue.close()));
  queues = [];
});

function takeJobs(concurrency = { delivery: 2 }): JobQueue {
  const queue = createRedisJobQueue({
    ...{ redis: worker, name: inbox, inbox },
    onDropped: (what) => void dropped.push(what),
  });
  queues.push(queue);
  queue.process(async (job) => void taken.push("delivery" in job ? job.delivery : job.kind), {
    concurrency,
    attempts: 1,
    onGivenUp: async () => {},
  });
  return queue;
}

it("a delivery that was announced is handed over once, however many look for it", async () => {
  const [one, other] = [takeJobs(), takeJobs()];
  const intake = createRedisIntake({ redis: producer, inbox });
  const ids = Array.from({ length: 30 }, (_, n) => `d${n}`);
  await Promise.all(ids.map((id) => intake.take(id, { hello: id })));
  await Promise.all([one.idle(), other.idle()]);
  expect(taken.sort()).toEqual(ids.sort());
});

it("a delivery is found although nobody said that it came", async () => {
  const queue = takeJobs();
  await queue.idle();
  await producer.rpush(announcedKey(inbox), "d1");
  await until(() => taken.length === 1, "the look finds it");
  expect(taken).toEqual(["d1"]);
});

it("what is announced waits for a process that acts on deliveries", async () => {
  takeJobs({ sweep: 1 } as never);
  await createRedisIntake({ redis: producer, inbox }).take("d1", {});
  expect(await producer.lrange(announcedKey(inbox), 0, "-1")).toEqual(["d1"]);
  await takeJobs().idle();
  expect(taken).toEqual(["d1"]);
});

it("what somebody took and did not hand over, since it died, is handed over by another", async () => {
  await producer.zadd(`${announcedKey(inbox)}:taken`, Date.now() - 60_000, "d1");
  await producer.zadd(`${announcedKey(inbox)}:taken`, Date.now() + 60_000, "is just being handed over");
  takeJobs();
  await until(() => taken.length > 0, "it is taken");
  expect(taken).toEqual(["d1"]);
});

it("an announcement that Loom did not write is dropped", async () => {
  await producer.rpush(announcedKey(inbox), "x".repeat(10_000));
  await takeJobs().idle();
  expect(taken).toEqual([]);
  expect(dropped).toEqual([expect.stringContaining("Dropped an announced delivery")]);
});
