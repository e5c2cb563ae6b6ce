import { existsSync } from "node:fs";
import { afterEach, expect, it } from "vitest";
import { type RedisServer, startRedis } from "../../adapters/redis/redis-server.ts";
import type { GitHubWorld } from "../../support/github-world.ts";
import { aService, type Exit, type LoomService, type Service } from "../../support/hosted-processes.ts";
import { livingWith } from "../../support/living-processes.ts";
import { aScene, aSign, ask } from "./scene.ts";

let world: GitHubWorld | null = null;
let service: Service | null = null;
let redis: RedisServer | null = null;
afterEach(async () => {
  await service?.end();
  await redis?.dispose();
  await world?.end();
  world = service = redis = null;
});

const STOP_WITHIN_MS = 15_000;

/** How it ended after SIGTERM; what it said when it did not end in time. */
async function stopped(one: LoomService): Promise<Exit | string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((done) => {
    timer = setTimeout(() => done(`still there:\n${one.said().slice(-2000)}`), STOP_WITHIN_MS);
  });
  try {
    return await Promise.race([one.stop(), late]);
  } finally {
    clearTimeout(timer);
  }
}

it("ends when it is asked to although Redis is gone for good, and leaves no agent", async () => {
  const sign = await aSign();
  redis = await startRedis();
  const scene = await aScene([{ id: "one", first: [{ run: `touch ${sign}; sleep 600` }] }]);
  world = scene.world;
  service = await aService(world, redis.url);
  const app = await service.start("app");
  const worker = await service.start("worker", { LOOM_WORKER: "busy" });
  const idle = await service.start("worker", { LOOM_WORKER: "idle", LOOM_LABELS: "gpu" });
  await ask(world, scene.issue);
  await world.until(() => existsSync(sign), "the agent");
  const { stages } = await service.until(
    (run) => run.stages.get("one")?.session?.state === "running",
    "its session",
  );
  const marker = stages.get("one")?.session?.marker ?? "";
  expect(livingWith(`LOOM_MARKER=${marker}`).length).toBeGreaterThan(0);

  await redis.kill();
  const { url } = service;
  await world.until(async () => (await fetch(`${url}/readyz`)).status === 503, "readiness is gone");
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  const clean = { code: 0, signal: null };
  expect(await Promise.all([app, worker, idle].map(stopped))).toEqual([clean, clean, clean]);
  expect(livingWith(`LOOM_MARKER=${marker}`)).toEqual([]);
});
