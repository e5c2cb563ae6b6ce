import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { afterEach, expect, it } from "vitest";
import { readFolder } from "../../../demo/read-folder.ts";
import { withTasks } from "../../../demo/task-script.ts";
import type { Run } from "../../../src/core/run/run.ts";
import { type RedisServer, startRedis } from "../../adapters/redis/redis-server.ts";
import { aGitHubWorld, type GitHubWorld } from "../../support/github-world.ts";
import { aService, type Service } from "../../support/hosted-processes.ts";
import { livingWith, until } from "../../support/living-processes.ts";
import { aSign, ask, expectAllOnce } from "./scene.ts";

let world: GitHubWorld | null = null;
let service: Service | null = null;
let redis: RedisServer | null = null;
afterEach(async () => {
  await service?.end();
  await redis?.dispose();
  await world?.end();
  world = service = redis = null;
});

const DEMO = resolve(import.meta.dirname, "../../../demo");
const WORKERS = ["left", "right"] as const;

/** The demo's script, whose agents resolve no conflict before the sign is there. */
async function withHeldConflict(sign: string): Promise<string> {
  const script = readFileSync(join(DEMO, "script.yaml"), "utf8");
  const held = script.replace(
    "    conflict: &both\n",
    (line) => `${line}      - run: until test -f ${sign}; do sleep 0.1; done\n`,
  );
  expect(held).not.toBe(script);
  await writeFile(`${sign}.yaml`, withTasks(held, readFileSync(join(DEMO, "PLAN.md"), "utf8")));
  return `${sign}.yaml`;
}

/** The session that resolves the conflict, while its agent is at work. */
function resolving(run: Run | null): { stage: string; marker: string; tree: string } | null {
  for (const [stage, { session, conflict }] of run?.stages ?? [])
    if (conflict !== null && session?.state === "running") return { stage, ...session };
  return null;
}

it("plays the demo's story with two workers, one of which is killed while its agent resolves the conflict", async () => {
  redis = await startRedis();
  const sign = await aSign();
  world = await aGitHubWorld({
    loom: false,
    files: readFolder(join(DEMO, "sample")),
    config: { version: 1, harness: "scripted", merge: { mode: "auto" }, limits: { max_parallel: 2 } },
    env: { LOOM_SCRIPT: await withHeldConflict(sign) },
  });
  service = await aService(world, redis.url);
  await service.start("app");
  const [left, right] = await Promise.all(
    WORKERS.map((name) => service?.start("worker", { LOOM_WORKER: name })),
  );
  await ask(world, world.issue({ title: "Say which words a text uses most", body: "Please." }), "1a");

  const kept = service;
  const victim = await world.until(async () => resolving(await kept.run()), "the conflict");
  await until(() => livingWith(`LOOM_MARKER=${victim.marker}`).length > 0, "its agent is at work");
  await (victim.tree.includes("/workers/left/") ? left : right)?.kill();
  await until(() => livingWith(`LOOM_MARKER=${victim.marker}`).length === 0, "its processes are gone");
  await writeFile(sign, "");

  const run = await service.until(
    ({ status, recorded }) => status === "completed" && recorded !== null,
    "the end",
  );
  const stages = Array.from(
    readFileSync(join(DEMO, "PLAN.md"), "utf8").matchAll(/- id: (\S+)/g),
    ([, id]) => id ?? "",
  );
  expect(stages).toHaveLength(7);
  await expectAllOnce(world, service, stages);
  const events = await service.events();
  const told = (type: string): unknown[] =>
    events.flatMap((event) => (event.type === type && "stage" in event ? [event.stage] : []));
  expect(told("attempt-failed")).toEqual(["longest"]);
  expect(told("merge-conflicted")).toEqual([victim.stage]);
  expect(told("stage-merged").toSorted()).toEqual(stages.toSorted());
  expect(run.stages.get(victim.stage)?.deaths).toBe(1);
  expect(await world.file("src/index.js")).toBe(
    '// What the package offers.\nexport { count } from "./count.js";\nexport { longest } from "./longest.js";\n',
  );
});
