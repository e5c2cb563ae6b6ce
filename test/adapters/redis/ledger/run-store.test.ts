import type { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { connectRedis } from "../../../../src/adapters/redis/connect-redis.ts";
import { APPEND } from "../../../../src/adapters/redis/ledger/ledger-scripts.ts";
import { createRedisRunStore } from "../../../../src/adapters/redis/ledger/run-store.ts";
import { createRedisTaskStore } from "../../../../src/adapters/redis/ledger/task-store.ts";
import { runScript } from "../../../../src/adapters/redis/run-script.ts";
import { created, queued, taskCreated } from "../../../contract/sample-events.ts";
import { type RedisServer, startRedis } from "../redis-server.ts";

const STREAM = "loom:{r12/run-1}:events";

let server: RedisServer;
let redis: Redis;
const open = (scope = "r12") => createRedisRunStore({ redis, scope });

beforeAll(async () => {
  server = await startRedis();
  redis = await connectRedis(server.url, { role: "worker" });
});
afterAll(async () => {
  redis.disconnect();
  await server.dispose();
});
beforeEach(() => redis.flushall());

describe("the streams of the redis run store", () => {
  it("hold one entry per batch, named after its first and last event", async () => {
    await open().append("run-1", 0, [created("run-1")]);
    await open().append("run-1", 1, [queued("a"), queued("b")]);
    const entries = await redis.xrange(STREAM, "-", "+");
    expect(entries.map(([id, fields]) => [id, fields[0], fields[2], JSON.parse(fields[3] ?? "")])).toEqual([
      ["1-1", "m", "e", [created("run-1")]],
      ["2-3", "m", "e", [queued("a"), queued("b")]],
    ]);
  });

  it("are apart from those of a task of the same name", async () => {
    const tasks = createRedisTaskStore({ redis, scope: "r12" });
    await open().append("run-1", 0, [created("run-1"), queued("a")]);
    await tasks.append("run-1", 0, [taskCreated("run-1")]);
    expect((await open().load("run-1")).version).toBe(2);
    expect((await tasks.load("run-1")).events).toEqual([taskCreated("run-1")]);
    expect((await redis.keys("*")).sort()).toEqual([
      "loom:{r12/run-1}:events",
      "loom:{r12/run-1}:task-events",
      "loom:{r12}:runs",
      "loom:{r12}:tasks",
    ]);
    await tasks.remove("run-1");
    expect([await open().list(), await tasks.list()]).toEqual([["run-1"], []]);
  });

  it("refuse one of two writers whose batches differ in length, whichever comes first", async () => {
    for (const [run, lengths] of [
      ["run-1", [1, 3]],
      ["run-2", [3, 1]],
    ] as const) {
      await open().append(run, 0, [created(run)]);
      const outcomes = [];
      for (const length of lengths) {
        outcomes.push(await open().append(run, 1, Array(length).fill(queued("a"))));
      }
      const version = 1 + lengths[0];
      expect(outcomes).toEqual([
        { kind: "appended", version },
        { kind: "conflict", version },
      ]);
    }
  });

  it("know a batch again that a broken connection sends twice, also when others have written since", async () => {
    const events = JSON.stringify([queued("a"), queued("b")]);
    const send = () => runScript(redis, APPEND, [STREAM], ["channel", 1, 2, "mark", events]);
    await open().append("run-1", 0, [created("run-1")]);
    expect(await send()).toEqual([1, 3]);
    expect(await send()).toEqual([1, 3]);
    await open().append("run-1", 3, [queued("c")]);
    expect(await send()).toEqual([1, 3]);
    expect((await open().load("run-1")).events).toHaveLength(4);
  });

  it("send only what is new, and the batch that a version cuts in two", async () => {
    await open().append("run-1", 0, [created("run-1", { planText: "x".repeat(100_000) })]);
    await open().append("run-1", 1, [queued("a"), queued("b"), queued("c")]);
    const sent = async (): Promise<number> => {
      const stats = await redis.info("stats");
      return Number(/total_net_output_bytes:(\d+)/.exec(stats)?.[1]);
    };
    const before = await sent();
    expect(await open().loadSince("run-1", 4)).toEqual({ version: 4, events: [] });
    expect(await open().loadSince("run-1", 1)).toMatchObject({ version: 4, events: { length: 3 } });
    expect(await open().loadSince("run-1", 2)).toEqual({ version: 4, events: [queued("b"), queued("c")] });
    expect(await open().loadSince("run-1", 9)).toEqual({ version: 4, events: [] });
    expect((await sent()) - before).toBeLessThan(30_000);
  });

  it.each([
    ["no JSON", ["m", "x", "e", '[{"type"']],
    ["an unknown event", ["m", "x", "e", '[{"type":"from-the-future"}]']],
    ["no events", ["m", "x", "e", "[]"]],
    ["more events than its id says", ["m", "x", "e", JSON.stringify([queued("a"), queued("b")])]],
    ["another field", ["m", "x", "f", "y"]],
  ])("are refused with key and entry when one holds %s", async (_, fields) => {
    await open().append("run-1", 0, [created("run-1")]);
    await redis.xadd(STREAM, "2-2", ...fields);
    const refusal = {
      name: "UserError",
      message: expect.stringContaining(`${STREAM} in Redis, entry 2-2: `),
      next: "Put it back from a copy, or forget the run with `loom clean`.",
    };
    await expect(open().load("run-1")).rejects.toMatchObject(refusal);
    await expect(open().loadSince("run-1", 1)).rejects.toMatchObject(refusal);
  });

  it("are refused when a batch is missing", async () => {
    for (let n = 0; n < 3; n += 1) await open().append("run-1", n, [queued(`s${n}`)]);
    await redis.xdel(STREAM, "2-2");
    await expect(open().load("run-1")).rejects.toThrow("entry 3-3: it begins with event 3 instead of 2");
    await redis.xdel(STREAM, "1-1");
    await expect(open().load("run-1")).rejects.toThrow("entry 3-3: it begins with event 3 instead of 1");
  });

  it("take only events that can be read back", async () => {
    const broken = { ...queued("a"), attempt: 0 };
    await expect(open().append("run-1", 0, [broken])).rejects.toMatchObject({ name: "InternalError" });
    expect(await open().list()).toEqual([]);
  });

  it("are kept apart by scope", async () => {
    await open("r12").append("run-1", 0, [created("run-1")]);
    await open("r7").append("run-2", 0, [created("run-2")]);
    expect(await open("r12").list()).toEqual(["run-1"]);
    expect((await open("r7").load("run-1")).version).toBe(0);
    expect(() => open("r1}:x{")).toThrow("can't be the scope of runs");
  });

  it("begin at nothing after everything was flushed", async () => {
    const store = open();
    await store.append("run-1", 0, [created("run-1"), queued("a")]);
    await redis.flushall();
    expect(await store.append("run-1", 2, [queued("b")])).toEqual({ kind: "conflict", version: 0 });
    expect(await store.loadSince("run-1", 2)).toEqual({ version: 0, events: [] });
    expect(await store.append("run-1", 0, [created("run-1")])).toEqual({ kind: "appended", version: 1 });
    expect(await store.list()).toEqual(["run-1"]);
  });

  it("say what helps when Redis is full", async () => {
    const { used } = await usedMemory();
    await redis.config("SET", "maxmemory", String(used));
    try {
      await expect(open().append("run-1", 0, [created("run-1")])).rejects.toMatchObject({
        name: "UserError",
        message: expect.stringContaining("Failed to write the ledger of run run-1: OOM"),
        next: "Give Redis more memory (maxmemory). Nothing is lost; Loom goes on by itself.",
      });
    } finally {
      await redis.config("SET", "maxmemory", "0");
    }
  });
});

async function usedMemory(): Promise<{ used: number }> {
  return { used: Math.floor(Number(/used_memory:(\d+)/.exec(await redis.info("memory"))?.[1]) / 2) };
}
