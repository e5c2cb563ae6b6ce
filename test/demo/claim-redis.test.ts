import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, it } from "vitest";
import { claimRedis } from "../../demo/claim-redis.ts";
import { type RedisServer, startRedis } from "../adapters/redis/redis-server.ts";

let server: RedisServer;

beforeAll(async () => {
  server = await startRedis(["--databases", "3"]);
});
afterAll(() => server?.dispose());

async function withDatabase<T>(url: string, act: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url);
  try {
    return await act(redis);
  } finally {
    redis.disconnect();
  }
}

it("gives each demo a database of its own and leaves those of others alone", async () => {
  await withDatabase(`${server.url}/2`, (redis) => redis.set("somebody", "works here"));
  const first = await claimRedis(server.url);
  const second = await claimRedis(server.url);
  expect([first.url, second.url].map((url) => new URL(url).pathname)).toEqual(["/1", "/0"]);
  await expect(claimRedis(server.url)).rejects.toThrow(/no empty database/);
  await first.release();
  await second.release();
  expect(await withDatabase(`${server.url}/1`, (redis) => redis.dbsize())).toBe(0);
  expect(await withDatabase(`${server.url}/2`, (redis) => redis.get("somebody"))).toBe("works here");
});

it("takes a database that the address names only when it is empty", async () => {
  await expect(claimRedis(`${server.url}/2`)).rejects.toThrow("Database 2 of REDIS_URL is not empty.");
  const claimed = await claimRedis(`${server.url}/1`);
  expect(new URL(claimed.url).pathname).toBe("/1");
  await claimed.release();
});
