import type { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { connectRedis } from "../../../src/adapters/redis/connect-redis.ts";
import { createRedisJobQueue } from "../../../src/adapters/redis/jobs/job-queue.ts";
import { createRedisLeases } from "../../../src/adapters/redis/leases.ts";
import { createRedisRunStore } from "../../../src/adapters/redis/ledger/run-store.ts";
import type { JobQueue } from "../../../src/ports/job-queue.ts";
import { compileSources } from "../../support/compile-sources.ts";
import { until } from "../../support/living-processes.ts";
import { type Child, startChild } from "./child.ts";
import { type RedisServer, startRedis } from "./redis-server.ts";

const LOCK_MS = 600;
/** No test is waiting for this one to run out. */
const LONG_LOCK_MS = 30_000;

// Every test starts processes, each of which loads BullMQ.
vi.setConfig({ testTimeout: 90_000 });

let compiled: Awaited<ReturnType<typeof compileSources>>;
let server: RedisServer;
let redis: Redis;
let name: string;
let queue: JobQueue;
let count = 0;
let children: Child[] = [];

beforeAll(async () => {
  [compiled, server] = await Promise.all([compileSources(["src/adapters/redis"]), startRedis()]);
  redis = await connectRedis(server.url, { role: "worker" });
});
afterAll(async () => {
  redis.disconnect();
  await server.dispose();
  await compiled.dispose();
});
beforeEach(() => {
  name = `p${++count}`;
  queue = createRedisJobQueue({ redis, name });
});
afterEach(async () => {
  await queue.close();
  await Promise.all(children.map((child) => child.kill()));
  children = [];
});

function start(...args: string[]): Child {
  const child = startChild(compiled.root, server.url, ...args);
  children.push(child);
  return child;
}
const startWorker = (how: string, lockMs = LOCK_MS): Child => start("work", name, String(lockMs), how);
const enqueue = (stage: string): Promise<void> =>
  queue.enqueue({ kind: "stage", repo: "r12", run: "a", stage, attempt: 1 });

describe("workers in processes of their own", () => {
  it("take over the job of one that was killed", async () => {
    const first = startWorker("hold");
    await enqueue("build");
    await first.says("took build");
    const second = startWorker("finish");
    await second.says("ready");
    await first.kill();
    await second.says("took build");
    await queue.idle();
    expect(second.said).toEqual(["ready", "took build"]);
  });

  it("stop a handler whose process stood still for longer than its lock lasts, and do the job elsewhere", async () => {
    const first = startWorker("block");
    await enqueue("build");
    await first.says("took build");
    const second = startWorker("finish");
    await second.says("ready");
    first.process.send("block");
    await second.says("took build");
    expect(await first.says("stopped")).toBe("stopped: the lock of the job is lost");
    await queue.idle();
    expect(second.said.filter((line) => line.startsWith("took"))).toEqual(["took build"]);
  });

  it("give a job up that three of them have died of, and go on with the next", async () => {
    const victims = Array.from({ length: 3 }, () => startWorker("die"));
    await Promise.all(victims.map((victim) => victim.says("ready")));
    await enqueue("poison");
    await Promise.all(victims.map((victim) => victim.ended()));
    for (const victim of victims) expect(victim.said).toEqual(["ready", "took poison"]);
    await enqueue("build");
    const survivor = startWorker("finish");
    await survivor.says("took build");
    await survivor.says("gave up");
    await queue.idle();
    expect(survivor.said.filter((line) => line !== "ready").sort()).toEqual([
      "gave up poison: its worker went away 3 times",
      "took build",
    ]);
  });

  it("give the job back when they are told to end, and do not charge it", async () => {
    const first = startWorker("hold", LONG_LOCK_MS);
    await enqueue("build");
    await first.says("took build");
    first.process.kill("SIGTERM");
    await first.says("closed");
    await first.ended();
    expect(first.said).toContain("stopped: the queue closes");
    const counts: number[] = [];
    queue.process(
      async () => {
        counts.push(counts.length);
        if (counts.length < 2) throw new Error("once");
      },
      { concurrency: { stage: 1 }, attempts: 2, onGivenUp: async () => void counts.push(-1) },
    );
    await queue.idle();
    expect(counts).toEqual([0, 1]);
  });

  it("share jobs, each of which is done once", async () => {
    const workers = [startWorker("finish", LONG_LOCK_MS), startWorker("finish", LONG_LOCK_MS)];
    await Promise.all(workers.map((worker) => worker.says("ready")));
    const stages = Array.from({ length: 40 }, (_, n) => `s${n}`);
    await Promise.all(stages.map(enqueue));
    await queue.idle();
    const took = workers.flatMap(({ said }) => said.filter((line) => line.startsWith("took")));
    expect(took.sort()).toEqual(stages.map((stage) => `took ${stage}`).sort());
  });
});

describe("a lease of another process", () => {
  it("ends when that process is gone", async () => {
    const leases = createRedisLeases({ redis, ttlMs: 400 });
    const holder = start("lease", "worker-1", "400");
    expect(await holder.says("")).toBe("acquired");
    expect(await leases.acquire("worker-1")).toEqual({ kind: "held" });
    await holder.kill();
    await until(async () => !(await leases.isHeld("worker-1")), "the lease has ended");
    expect((await leases.acquire("worker-1")).kind).toBe("acquired");
    await leases.close();
  });

  it.each([-10, 10])("lasts as long with a clock that is %i minutes off (F23)", async (minutes) => {
    const leases = createRedisLeases({ redis, ttlMs: 400 });
    const holder = start("lease", `clock-${minutes}`, "400", String(minutes * 60_000));
    await holder.says("acquired");
    await renewals(3);
    expect(await leases.acquire(`clock-${minutes}`)).toEqual({ kind: "held" });
    await holder.kill();
    await until(async () => !(await leases.isHeld(`clock-${minutes}`)), "the lease has ended");
    await leases.close();
  });

  it("ends when that process stands still, and does not come back to it when another has it", async () => {
    const leases = createRedisLeases({ redis, ttlMs: 400 });
    const holder = start("lease", "worker-2", "400");
    await holder.says("acquired");
    holder.process.kill("SIGSTOP");
    await until(async () => !(await leases.isHeld("worker-2")), "the lease has ended");
    const mine = await leases.acquire("worker-2");
    if (mine.kind !== "acquired") throw new Error("not acquired");
    const token = await redis.get("loom:lease:worker-2");
    holder.process.kill("SIGCONT");
    // It renews three times per lease: by then it has tried.
    await renewals(3);
    expect(await redis.get("loom:lease:worker-2")).toBe(token);
    await mine.release();
    await renewals(3);
    expect(await leases.isHeld("worker-2")).toBe(false);
    await leases.close();
  });
});

/** Waits until a lease of the same length has been renewed that often. */
async function renewals(times: number): Promise<void> {
  const leases = createRedisLeases({ redis, ttlMs: 400 });
  await leases.acquire("clock");
  let last = 0;
  for (let seen = 0; seen < times; ) {
    const left = await redis.pttl("loom:lease:clock");
    if (left > last) seen += 1;
    last = left;
  }
  await leases.close();
}

it("writers in several processes, one of them killed, leave a ledger of whole batches", async () => {
  const store = createRedisRunStore({ redis, scope: "r12" });
  const writers = ["a", "b", "c"].map((stage) => start("append", "r12", "run-1", stage, "60"));
  const [victim, ...others] = writers as [Child, Child, Child];
  await until(() => victim.said.length >= 5, "the victim has written");
  await victim.kill();
  await Promise.all(others.map((writer) => writer.ended()));
  const { version, events } = await store.load("run-1");
  expect(version % 3).toBe(0);
  for (let n = 0; n < events.length; n += 3) {
    expect(new Set(events.slice(n, n + 3).map((event) => JSON.stringify(event))).size).toBe(1);
  }
  const told = writers.flatMap(({ said }) => said.map(Number));
  expect(new Set(told).size).toBe(told.length);
  expect(Math.max(...told)).toBeLessThanOrEqual(version);
  expect(events.filter((event) => event.type === "stage-queued" && event.stage === "b")).toHaveLength(180);
});
