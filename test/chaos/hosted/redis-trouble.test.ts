import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { afterEach, expect, it } from "vitest";
import { type RedisServer, startRedis } from "../../adapters/redis/redis-server.ts";
import type { GitHubWorld } from "../../support/github-world.ts";
import { aService, type Service } from "../../support/hosted-processes.ts";
import { BY_THE_CLOCK } from "../../support/quickly.ts";
import { aScene, aSign, ask, expectCleanEnd, type SceneStage } from "./scene.ts";

let world: GitHubWorld | null = null;
let service: Service | null = null;
let redis: RedisServer | null = null;
afterEach(async () => {
  await service?.end();
  await redis?.dispose();
  await world?.end();
  world = service = redis = null;
});

const hasEnded = ({ status, recorded }: { status: string; recorded: string | null }): boolean =>
  status === "completed" && recorded !== null;

it(
  "answers a webhook with an error while Redis is away, and asks for it again when it is back (F11)",
  BY_THE_CLOCK,
  async () => {
    redis = await startRedis();
    const scene = await aScene([{ id: "one" }]);
    world = scene.world;
    service = await aService(world, redis.url);
    await service.start("app");
    await redis.kill();
    const began = performance.now();
    world.comment(scene.issue, "/loom run");
    await world.github.hooks.whenDelivered();
    expect(performance.now() - began).toBeLessThan(5_000);
    const failed = world.world.github.deliveries.filter(({ event }) => event === "issue_comment");
    expect(failed.map(({ statusCode }) => statusCode)).toEqual([503]);

    await redis.start();
    await world.planPull();
    expect(await world.reply(scene.issue)).toContain("The plan is open");
    expect(world.pulls().length).toBe(1);
  },
);

it("goes on when Redis is restarted in the middle of a run", async () => {
  const sign = await aSign();
  const stages: SceneStage[] = [
    { id: "one", first: [{ run: `touch ${sign}; until test -f ${sign}-go; do sleep 0.1; done` }] },
    { id: "two", needs: ["one"] },
  ];
  redis = await startRedis(["--appendonly", "yes", "--appendfsync", "always"]);
  const scene = await aScene(stages);
  world = scene.world;
  service = await aService(world, redis.url);
  await service.start("app");
  await service.start("worker");
  await ask(world, scene.issue);
  await world.until(() => existsSync(sign), "the agent");
  await redis.kill();
  await redis.start();
  await writeFile(`${sign}-go`, "");
  const run = await service.until(hasEnded, "the end");
  await expectCleanEnd(world, service, stages);
  expect([...run.stages.values()].map(({ attempts }) => attempts)).toEqual([1, 1]);
});

it("rebuilds a run from git and GitHub when Redis is wiped in the middle of it (F7)", async () => {
  const sign = await aSign();
  const stages: SceneStage[] = [
    { id: "one" },
    {
      id: "two",
      needs: ["one"],
      first: [{ run: `touch ${sign}; until test -f ${sign}-go; do sleep 0.1; done` }],
    },
    { id: "three", needs: ["two"] },
  ];
  redis = await startRedis();
  const scene = await aScene(stages);
  world = scene.world;
  service = await aService(world, redis.url);
  await service.start("app");
  await service.start("worker");
  await ask(world, scene.issue);
  await world.until(() => existsSync(sign), "the second agent");
  await service.redis?.flushall();
  await writeFile(`${sign}-go`, "");
  await service.until(hasEnded, "the end");
  await expectCleanEnd(world, service, stages);
  expect(service.said()).toContain("is back from its copy in git");
});
