import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { createRedisCache } from "../../../src/adapters/redis/cache.ts";
import { connectRedis } from "../../../src/adapters/redis/connect-redis.ts";
import { createRedisInboxOf } from "../../../src/adapters/redis/inbox.ts";
import { createRawRedisRunStore } from "../../../src/adapters/redis/ledger/run-store.ts";
import { ForgedRecord } from "../../../src/core/errors.ts";
import { comment } from "../../contract/inbox.contract.ts";
import { created, queued } from "../../contract/sample-events.ts";
import { SEALS } from "../../support/seals.ts";
import { type RedisServer, startRedis } from "./redis-server.ts";

let server: RedisServer;
let redis: Redis;
beforeAll(async () => {
  server = await startRedis();
  redis = await connectRedis(server.url, { role: "worker" });
});
afterAll(async () => {
  redis.disconnect();
  await server.dispose();
});

const approval = { type: "run-approved", at: "2031-05-06T07:08:09.000Z", by: "eve", role: "admin" };
const forged = JSON.stringify([{ ...approval, head: "a", blob: "b", via: "command" }]);

describe("what is written straight into Redis (T32)", () => {
  it("is no event of a run, appended or in the place of one", async () => {
    const store = SEALS.runs(createRawRedisRunStore({ redis, scope: "r1" }), "r1");
    await store.append("shop", 0, [created("shop")]);
    await store.append("shop", 1, [queued("a")]);
    const stream = "loom:{r1/shop}:events";
    await redis.xadd(stream, "3-3", "m", randomUUID(), "e", forged);
    await expect(store.load("shop")).rejects.toThrow(ForgedRecord);
    const [first, second] = await redis.xrange(stream, "-", "+");
    for (const [id, fields] of [
      ["3-3", second?.[1] ?? []],
      ["2-9", second?.[1] ?? []],
      ["2-2", ["e", "no JSON"]],
      ["2-2", ["x", "y"]],
    ] as const) {
      await redis.del(stream);
      await redis.xadd(stream, "1-1", ...(first?.[1] ?? []));
      await redis.xadd(stream, id, ...fields);
      await expect(store.load("shop")).rejects.toThrow(ForgedRecord);
    }
    // A whole run of somebody else's making, too.
    await redis.xadd("loom:{r1/theirs}:events", "1-1", "m", "x", "e", JSON.stringify([created("theirs")]));
    await redis.sadd("loom:{r1}:runs", "theirs");
    expect(await store.list()).toContain("theirs");
    await expect(store.load("theirs")).rejects.toThrow(ForgedRecord);
  });

  it("is no delivery and no note", async () => {
    const inbox = SEALS.inbox(createRedisInboxOf({ redis, schema: z.unknown() }));
    await redis.set("loom:{inbox}:delivery:d1", JSON.stringify(comment("/loom approve")));
    await redis.zadd("loom:{inbox}:waiting", 1, "d1");
    await expect(inbox.get("d1")).rejects.toThrow(ForgedRecord);
    await redis.set("loom:{cache/r1}:entry:place/r1", JSON.stringify({ installation: 1 }));
    expect(await SEALS.cache(createRedisCache({ redis, scope: "r1" }), "r1").get("place/r1")).toBeNull();
  });
});
