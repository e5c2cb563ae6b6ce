import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { connectRedis } from "../../src/adapters/redis/connect-redis.ts";
import { createRedisIntake } from "../../src/adapters/redis/intake.ts";
import { type RedisServer, startRedis } from "../adapters/redis/redis-server.ts";
import { BY_THE_CLOCK } from "../support/quickly.ts";
import { type AppWorld, openAppWorld } from "./app-world.ts";
import { commentPayload } from "./payloads.ts";

let server: RedisServer;
let world: AppWorld;
let stop: () => Promise<void>;

beforeAll(async () => {
  server = await startRedis();
  const redis = await connectRedis(server.url, { role: "producer" });
  world = await openAppWorld({ intake: { intake: createRedisIntake({ redis }) } });
  stop = async () => {
    await world.close();
    redis.disconnect();
    await server.dispose();
  };
});
afterAll(() => stop());

it(
  "takes webhooks into a real Redis, refuses them fast while it is gone, and takes the redelivery",
  BY_THE_CLOCK,
  async () => {
    const id = randomUUID();
    expect((await world.post("issue_comment", commentPayload(), { id: randomUUID() })).status).toBe(200);
    await server.kill();
    const started = performance.now();
    expect((await world.post("issue_comment", commentPayload(), { id })).status).toBe(503);
    expect(performance.now() - started).toBeLessThan(4_000);
    await server.start();
    await expect
      .poll(async () => (await world.post("issue_comment", commentPayload(), { id })).status)
      .toBe(200);
  },
);
