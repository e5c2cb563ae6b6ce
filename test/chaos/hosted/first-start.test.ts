import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { afterEach, expect, it } from "vitest";
import { install } from "../../../playground/model/apps/install.ts";
import { registerManifest } from "../../../playground/model/apps/register-manifest.ts";
import { setWebhookUrl } from "../../../playground/model/apps/set-webhook-url.ts";
import { type RedisServer, startRedis } from "../../adapters/redis/redis-server.ts";
import type { GitHubWorld } from "../../support/github-world.ts";
import { aService, type Service } from "../../support/hosted-processes.ts";
import { aScene, ask, expectCleanEnd, type SceneStage } from "./scene.ts";

let world: GitHubWorld | null = null;
let service: Service | null = null;
let redis: RedisServer | null = null;
afterEach(async () => {
  await service?.end();
  await redis?.dispose();
  await world?.end();
  world = service = redis = null;
});

/** Not even root can write there. */
const READ_ONLY = "/proc";

/** What a browser would send to GitHub when the button is pressed. */
async function manifestOn(page: string): Promise<Record<string, unknown>> {
  const html = await (await fetch(page)).text();
  const [, value = ""] = /name="manifest" value="([^"]*)"/.exec(html) ?? [];
  return JSON.parse(value.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&amp;", "&"));
}

it("is set up in a read-only folder, keeps its key in LOOM_ENV_FILE, and shares that file with its workers", async () => {
  const stages: SceneStage[] = [{ id: "one" }];
  redis = await startRedis();
  const scene = await aScene(stages);
  world = scene.world;
  service = await aService(world, redis.url);
  const { world: model, repository } = world;
  const envFile = join(world.folder, "config", "loom.env");
  const env = { APP_ID: "", PRIVATE_KEY: "", WEBHOOK_SECRET: "", LOOM_ENV_FILE: envFile };
  const early = service.launch("worker", env, READ_ONLY);
  expect((await early.ended).code).toBe(2);
  expect(early.said()).toContain("APP_ID and PRIVATE_KEY are missing.");

  const app = service.launch("app", env, READ_ONLY);
  const [, page = "", kept] = await world.until(
    () => /Open (\S+) to register one; its key will be kept in (\S+)\.\n/.exec(app.said()),
    "the address of the set-up",
  );
  expect(kept).toBe(envFile);
  expect(new URL(page).origin).toBe(service.url);
  const code = registerManifest(model, { by: "ada", manifest: await manifestOn(page) });
  const state = new URL(page).searchParams.get("key") ?? "";
  const back = await fetch(`${service.url}/probot/setup?code=${code}&state=${state}`, { redirect: "manual" });
  expect(back.status).toBe(303);

  await app.ready;
  expect(app.said()).toContain(`Loom listens on ${service.url} (jobs and ledgers in Redis).`);
  expect((await stat(envFile)).mode & 0o777).toBe(0o600);
  const registered = model.github.apps.at(-1);
  if (!registered) throw new Error("there is no App");
  const written = await readFile(envFile, "utf8");
  expect(written).toContain(`APP_ID=${registered.id}\n`);
  service.useKey(parseEnv(written).PRIVATE_KEY ?? "");
  const worker = service.launch("worker", env, READ_ONLY);
  await worker.ready;

  // From now on GitHub tells the new App alone.
  setWebhookUrl(world.credentials.app, null);
  install(model, registered, { account: "ada", repositories: [repository] });
  await ask(world, scene.issue);
  await service.until(({ status, recorded }) => status === "completed" && recorded !== null, "the end");
  await expectCleanEnd(world, service, stages);
  expect([await app.stop(), await worker.stop()].map((exit) => exit.code)).toEqual([0, 0]);

  const again = service.launch("app", env, READ_ONLY);
  await again.ready;
  expect(again.said()).not.toContain("to register one");
});
