import { existsSync } from "node:fs";
import { afterEach, expect, it } from "vitest";
import { type RedisServer, startRedis } from "../../adapters/redis/redis-server.ts";
import type { GitHubWorld } from "../../support/github-world.ts";
import { aService, type Service } from "../../support/hosted-processes.ts";
import { livingWith, until } from "../../support/living-processes.ts";
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

it("finishes a run of six stages although one of two workers is killed in the middle of an agent", async () => {
  const sign = await aSign();
  const stages: SceneStage[] = [
    { id: "one" },
    // Its child leaves the session: nothing may live on.
    { id: "slow", first: [{ run: `test -f ${sign} || { touch ${sign}; setsid sleep 600 & sleep 600; }` }] },
    { id: "gpu", runsOn: "gpu" },
    { id: "two", needs: ["one"] },
    { id: "three", needs: ["one", "slow"] },
    { id: "four", needs: ["two", "three", "gpu"] },
  ];
  redis = await startRedis();
  const scene = await aScene(stages, { config: { version: 1, merge: { mode: "auto" } } });
  world = scene.world;
  service = await aService(world, redis.url);
  await service.start("app");
  const workers = [
    await service.start("worker", { LOOM_WORKER: "plain" }),
    await service.start("worker", { LOOM_WORKER: "strong", LOOM_LABELS: "gpu" }),
  ];
  await ask(world, scene.issue);
  await world.until(() => existsSync(sign), "the slow agent");
  const before = await service.until(
    (run) => run.stages.get("slow")?.session?.state === "running",
    "its session",
  );
  const session = before.stages.get("slow")?.session;
  const claim = session?.marker ?? "";
  const isStrong = session?.tree.includes("/workers/strong/") ?? false;
  expect(livingWith(`LOOM_MARKER=${claim}`).length).toBeGreaterThanOrEqual(3);

  await workers[isStrong ? 1 : 0]?.kill();
  await until(() => livingWith(`LOOM_MARKER=${claim}`).length === 0, "its processes are gone");
  if (isStrong) await service.start("worker", { LOOM_WORKER: "strong", LOOM_LABELS: "gpu" });

  const run = await service.until(
    ({ status, recorded }) => status === "completed" && recorded !== null,
    "the end",
  );
  await expectCleanEnd(world, service, stages);
  expect(run.stages.get("slow")?.attempts).toBe(1);
  expect(run.stages.get("slow")?.deaths).toBe(1);
  const sessions = (await service.events()).flatMap((event) =>
    event.type === "session-started" ? [event] : [],
  );
  expect(
    sessions.filter(({ stage }) => stage === "gpu").every(({ tree }) => tree.includes("/workers/strong/")),
  ).toBe(true);
});
