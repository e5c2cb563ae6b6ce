import type { Redis } from "ioredis";
import { afterEach, describe, expect, it } from "vitest";
import { createRedisCache } from "../../../src/adapters/redis/cache.ts";
import { connectRedis } from "../../../src/adapters/redis/connect-redis.ts";
import { createRedisInbox } from "../../../src/adapters/redis/inbox.ts";
import { createRedisIntake } from "../../../src/adapters/redis/intake.ts";
import { createRedisJobQueue } from "../../../src/adapters/redis/jobs/job-queue.ts";
import { createRedisLeases } from "../../../src/adapters/redis/leases.ts";
import { createRawRedisRunStore, createRedisRunStore } from "../../../src/adapters/redis/ledger/run-store.ts";
import { runningOn } from "../../../src/engine/github/command/find-run.ts";
import { createRunLedgers } from "../../../src/engine/run/run-ledgers.ts";
import type { Job, ProcessOptions } from "../../../src/ports/job-queue.ts";
import { comment } from "../../contract/inbox.contract.ts";
import { created, queued } from "../../contract/sample-events.ts";
import { aRun } from "../../support/a-run.ts";
import { until } from "../../support/living-processes.ts";
import { BY_THE_CLOCK } from "../../support/quickly.ts";
import { SEALS } from "../../support/seals.ts";
import { type RedisServer, startRedis } from "./redis-server.ts";

const KEEPS = ["--appendonly", "yes", "--appendfsync", "always"];
const SWEEP: Job = { kind: "sweep" };
const ORIGIN = {
  installation: 1,
  repo: { id: 12, owner: "ada", name: "tools" },
  issue: 7,
  title: "Count words",
  by: "wes",
  byId: 3,
  at: "2026-01-31T12:00:00.000Z",
};
const OPTIONS: ProcessOptions = {
  concurrency: { sweep: 1, advance: 1 },
  attempts: 1,
  onGivenUp: async () => {},
};

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function world(settings: readonly string[]): Promise<{ server: RedisServer; redis: Redis }> {
  const server = await startRedis(settings);
  cleanups.push(server.dispose);
  const redis = await connectRedis(server.url, { role: "worker" });
  cleanups.push(() => redis.disconnect());
  return { server, redis };
}

/** Stops whoever passes until it is opened. */
function gate() {
  let open = (): void => {};
  let arrive = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const reached = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const pass = (): Promise<void> => {
    arrive();
    return opened;
  };
  return { open: () => open(), reached, pass };
}

describe("a restart of Redis", () => {
  it("only holds jobs up: what was worked on ends, what waited is done", async () => {
    const { server, redis } = await world(KEEPS);
    const queue = createRedisJobQueue({ redis, time: { timersEveryMs: 20 } });
    cleanups.push(() => queue.close());
    const middle = gate();
    const seen: string[] = [];
    queue.process(async (job, signal) => {
      if (seen.length === 0) {
        seen.push("first");
        await middle.pass();
        signal.throwIfAborted();
      } else seen.push("run" in job ? job.run : job.kind);
    }, OPTIONS);
    await queue.enqueue({ kind: "advance", run: "a" });
    await middle.reached;
    await queue.enqueue({ kind: "advance", run: "b" });
    await queue.enqueue(SWEEP, { delayMs: 1500 });
    await server.kill();
    const late = queue.enqueue({ kind: "advance", run: "c" });
    middle.open();
    await server.start();
    await late;
    await queue.idle();
    expect([...seen].sort()).toEqual(["b", "c", "first", "sweep"]);
  });

  it("holds up workers that begin while it is away, and makes none of them deaf", async () => {
    const { server, redis } = await world([]);
    const queue = createRedisJobQueue({ redis });
    cleanups.push(() => queue.close());
    await server.kill();
    const middle = gate();
    queue.process(middle.pass, OPTIONS);
    const enqueued = queue.enqueue(SWEEP);
    await server.start();
    await enqueued;
    await middle.reached;
    middle.open();
  });

  it("keeps ledgers, and appends that were under way come through", async () => {
    const { server, redis } = await world(KEEPS);
    const store = createRedisRunStore({ redis, scope: "r12" });
    cleanups.push(() => store.close());
    await store.append("run-1", 0, [created("run-1")]);
    let changes = 0;
    store.watch("run-1", () => {
      changes += 1;
    });
    await until(() => changes > 0, "the watcher has looked");
    await server.kill();
    const appending = store.append("run-1", 1, [queued("a")]);
    const before = changes;
    await server.start();
    expect(await appending).toEqual({ kind: "appended", version: 2 });
    await until(() => changes > before, "the watcher was told");
    expect((await store.load("run-1")).version).toBe(2);
  });

  it("that loses the end of a run is believed, and not what a process remembers", async () => {
    const { server, redis } = await world([]);
    const store = SEALS.runs(createRawRedisRunStore({ redis, scope: "r12" }), "r12");
    cleanups.push(() => store.close());
    const shorter: string[] = [];
    const runs = createRunLedgers(
      store,
      () => {},
      undefined,
      (id) => shorter.push(id),
    );
    const { events } = aRun([{ id: "a" }], { run: "shop", hosted: { origin: ORIGIN } });
    await runs.create("shop", events);
    await redis.save();
    await runs.write("shop", () => [{ type: "run-finished", at: ORIGIN.at, status: "cancelled" }]);
    expect(await runningOn({ store, runs }, ORIGIN.issue)).toBeNull();
    await server.kill();
    await server.start();
    expect(await runningOn({ store, runs }, ORIGIN.issue)).toMatchObject({ id: "shop", version: 1 });
    // It is known to be shorter than it was, so its copy in git is asked before the next thing is done.
    expect(shorter).toEqual(["shop"]);
  });

  it("that loses everything loses no process: all begins anew", async () => {
    const { server, redis } = await world([]);
    const queue = createRedisJobQueue({ redis, lockMs: 600, time: { timersEveryMs: 20 } });
    const leases = createRedisLeases({ redis, ttlMs: 300 });
    const store = createRedisRunStore({ redis, scope: "r12" });
    cleanups.push(() => Promise.all([queue.close(), leases.close(), store.close()]));
    const middle = gate();
    const ends: string[] = [];
    queue.process(async (_, signal) => {
      if (ends.length > 0) return void ends.push("done");
      signal.addEventListener("abort", () => middle.open());
      await middle.pass();
      ends.push(signal.aborted ? "stopped" : "ended");
    }, OPTIONS);
    await store.append("run-1", 0, [created("run-1")]);
    const lease = await leases.acquire("worker");
    expect(lease.kind).toBe("acquired");
    await queue.enqueue(SWEEP);
    await middle.reached;
    await server.kill();
    await server.start();
    await until(() => ends.length === 1, "the handler has heard of it");
    expect(ends).toEqual(["stopped"]);
    expect(await store.append("run-1", 1, [queued("a")])).toEqual({ kind: "conflict", version: 0 });
    await until(() => leases.isHeld("worker"), "the lease is taken again");
    await queue.enqueue(SWEEP);
    await queue.idle();
    expect(ends).toEqual(["stopped", "done"]);
  });
});

describe("a Redis that does not answer", () => {
  it("stops handlers once their locks must have run out", async () => {
    const { server, redis } = await world([]);
    const queue = createRedisJobQueue({ redis, lockMs: 500 });
    cleanups.push(() => queue.close());
    const middle = gate();
    const reasons: string[] = [];
    queue.process(async (_, signal) => {
      if (reasons.length > 0) return;
      signal.addEventListener("abort", () => middle.open());
      await middle.pass();
      reasons.push(String(signal.reason));
    }, OPTIONS);
    await queue.enqueue(SWEEP);
    await middle.reached;
    process.kill(server.pid(), "SIGSTOP");
    await until(() => reasons.length === 1, "the handler is stopped");
    process.kill(server.pid(), "SIGCONT");
    expect(reasons).toEqual(["Error: the lock of the job is lost"]);
    await queue.idle();
  });

  it("does not keep a queue, or leases, from closing", BY_THE_CLOCK, async () => {
    const { server, redis } = await world([]);
    const queue = createRedisJobQueue({ redis });
    const leases = createRedisLeases({ redis });
    await leases.acquire("worker");
    const middle = gate();
    queue.process(async (_, signal) => {
      signal.addEventListener("abort", () => middle.open());
      await middle.pass();
      signal.throwIfAborted();
    }, OPTIONS);
    await queue.enqueue(SWEEP);
    await middle.reached;
    await server.kill();
    const start = performance.now();
    await Promise.all([queue.close(), leases.close()]);
    expect(performance.now() - start).toBeLessThan(8000);
  });
});

it("a node of a Cluster, which takes no command over two slots, serves everything", async () => {
  const { redis } = await world(["--cluster-enabled", "yes"]);
  await redis.call("CLUSTER", "ADDSLOTSRANGE", "0", "16383");
  await until(
    async () => String(await redis.call("CLUSTER", "INFO")).includes("cluster_state:ok"),
    "it is up",
  );
  const store = createRedisRunStore({ redis, scope: "r12" });
  expect(await store.append("run-1", 0, [created("run-1")])).toEqual({ kind: "appended", version: 1 });
  expect(await store.loadSince("run-1", 0)).toMatchObject({ version: 1 });
  expect(await store.list()).toEqual(["run-1"]);
  await store.remove("run-1");
  const inbox = createRedisInbox({ redis });
  expect(await inbox.put("d1", comment("hello"))).toBe("new");
  await inbox.done("d1");
  expect(await inbox.put("d1", comment("hello"))).toBe("done");
  const cache = createRedisCache({ redis, scope: "r12" });
  await cache.set("a", "x", { ttlMs: 60_000 });
  expect(await cache.list("a")).toEqual(new Map([["a", "x"]]));
  await cache.remove("a");
  const leases = createRedisLeases({ redis });
  expect((await leases.acquire("a")).kind).toBe("acquired");
  await leases.close();
  expect(await createRedisIntake({ redis }).take("d2", comment("hello"))).toBe("new");
  const queue = createRedisJobQueue({ redis, inbox: "inbox", time: { timersEveryMs: 10 } });
  const seen: Job[] = [];
  const concurrency = { ...OPTIONS.concurrency, delivery: 1 };
  queue.process(async (job) => void seen.push(job), { ...OPTIONS, concurrency, labels: ["gpu"] });
  await queue.enqueue({ kind: "advance", repo: "r12", run: "a" }, { label: "gpu" });
  await queue.enqueue(SWEEP, { delayMs: 5 });
  await queue.idle();
  expect(seen).toHaveLength(3);
  await queue.close();
});
