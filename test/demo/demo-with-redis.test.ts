import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type RedisServer, startRedis } from "../adapters/redis/redis-server.ts";
import { type DemoProcess, startDemo } from "./start-demo.ts";

let tmp: string;
let redis: RedisServer;
let demo: DemoProcess | null = null;

beforeEach(async () => {
  tmp = await mkdtemp(join(tmpdir(), "loom-test-demo-"));
  redis = await startRedis();
});

afterEach(async () => {
  demo?.child.kill("SIGKILL");
  await demo?.ended;
  demo = null;
  await redis.dispose();
  await rm(tmp, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
});

it("plays the whole story with an App and a worker on the Redis of REDIS_URL, and leaves it as it was", async () => {
  const client = new Redis(redis.url);
  try {
    await client.set("somebody", "works here");
    demo = startDemo("main.js", [], tmp, { REDIS_URL: redis.url });
    const { code } = await demo.ended;
    const said = demo.said();
    expect(said).toContain("Loom:                 `loom app` and `loom worker`, connected by Redis");
    expect(said).toMatch(/Done in .*: 7 of 7 stages merged in \d+ attempts;/);
    expect(code).toBe(0);
    // The demo had a database of its own.
    expect(await client.info("keyspace")).toMatch(/^# Keyspace\s+db0:keys=1,\S*\s*$/);
    expect(await client.get("somebody")).toBe("works here");
    expect((await readdir(tmp)).filter((name) => !name.startsWith("loom-report-"))).toEqual([]);
  } finally {
    client.disconnect();
  }
});
