import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { Queue } from "bullmq";
import { afterEach, expect, it } from "vitest";
import { repoId } from "../../../src/core/ids.ts";
import { type RedisServer, startRedis } from "../../adapters/redis/redis-server.ts";
import type { GitHubWorld } from "../../support/github-world.ts";
import { aService, type Service } from "../../support/hosted-processes.ts";
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

it("does not let a worker that stood still push, merge or write what has become another's (F10)", async () => {
  const sign = await aSign();
  const stages: SceneStage[] = [
    // The first agent waits to be let go; the second one, which somebody else starts, does not.
    {
      id: "one",
      first: [{ run: `test -f ${sign} || { touch ${sign}; until test -f ${sign}-go; do sleep 0.1; done; }` }],
    },
    { id: "two", needs: ["one"] },
  ];
  redis = await startRedis();
  const scene = await aScene(stages);
  world = scene.world;
  service = await aService(world, redis.url);
  await service.start("app");
  const frozen = await service.start("worker", { LOOM_WORKER: "frozen" });
  await ask(world, scene.issue);
  await world.until(() => existsSync(sign), "the agent");
  const before = await service.until(
    (run) => run.stages.get("one")?.session?.state === "running",
    "its session",
  );
  frozen.signal("SIGSTOP");
  await service.start("worker", { LOOM_WORKER: "other" });
  await service.until(
    ({ stages: now }) => now.get("one")?.session?.marker !== before.stages.get("one")?.session?.marker,
    "another worker takes it over",
  );
  await writeFile(`${sign}-go`, "");
  frozen.signal("SIGCONT");
  const run = await service.until(
    ({ status, recorded }) => status === "completed" && recorded !== null,
    "the end",
  );
  await expectCleanEnd(world, service, stages);
  expect(run.stages.get("one")?.attempts).toBe(1);
  const claims = (await service.events()).flatMap((event) =>
    event.type === "session-ended" && event.stage === "one" ? [event.session] : [],
  );
  expect(new Set(claims).size).toBe(claims.length);
  expect(frozen.said()).not.toContain("gave up");
});

it("drops jobs that somebody wrote straight into Redis (T22)", async () => {
  const sign = await aSign();
  redis = await startRedis();
  const scene = await aScene([{ id: "one", first: [{ run: `touch ${sign}` }] }]);
  world = scene.world;
  service = await aService(world, redis.url);
  await service.start("app");
  const worker = await service.start("worker");
  world.comment(scene.issue, "/loom run");
  const plan = await world.planPull();
  const run = await service.until(({ offer }) => offer?.pr === plan.number, "the plan");
  await world.reply(scene.issue);
  const repo = repoId(world.repository.id);
  const jobs: [kind: string, data: unknown][] = [
    ["stage", { kind: "stage", repo, run: run.id, stage: "one", attempt: 1 }],
    ["stage", { kind: "stage", repo: repoId(424_242), run: run.id, stage: "one", attempt: 1 }],
    ["stage", { kind: "stage", repo, run: "no-such-run", stage: "one", attempt: 1 }],
    ["stage", { kind: "stage", repo, run: "../../etc", stage: "$(id)", attempt: -1 }],
    ["merge", { kind: "merge", repo, run: run.id, stage: "one" }],
    ["merge", "garbage"],
    ["advance", { kind: "stage", repo, run: run.id, stage: "one", attempt: 1 }],
  ];
  const connection = { url: redis.url };
  for (const [kind, data] of jobs) {
    const queue = new Queue(`loom-${kind}`, { connection, prefix: "{loom}" });
    await queue.add(kind, data);
    await queue.close();
  }
  await world.until(async () => {
    for (const kind of ["stage", "merge", "advance"]) {
      const queue = new Queue(`loom-${kind}`, { connection, prefix: "{loom}" });
      const counts = await queue.getJobCounts("wait", "active", "delayed");
      await queue.close();
      if (Object.values(counts).some((count) => count > 0)) return false;
    }
    return true;
  }, "the jobs are gone");
  expect(existsSync(sign)).toBe(false);
  expect(
    (await service.events()).map(({ type }) => type).filter((type) => !type.startsWith("panel")),
  ).toEqual(["run-created", "plan-offered"]);
  expect(worker.said()).toContain(
    "refused at job/unknown-repository (T22): a stage job for a repository that nobody has heard of.",
  );
  // One line tells of all of them.
  expect(service.said()).toMatch(/refused at job\/malformed \(T22\): Dropped job \S+ of queue loom-/);
  expect(world.pulls().length).toBe(1);
});
