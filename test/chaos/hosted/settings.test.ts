import { afterEach, beforeEach, expect, it } from "vitest";
import { type RedisServer, startRedis } from "../../adapters/redis/redis-server.ts";
import type { GitHubWorld } from "../../support/github-world.ts";
import { aGitHubWorld } from "../../support/github-world.ts";
import { aService, type Service } from "../../support/hosted-processes.ts";
import { NO_SANDBOX_NOTE } from "../../support/loom-cli.ts";

let world: GitHubWorld;
let service: Service;
let redis: RedisServer | null = null;
beforeEach(async () => {
  world = await aGitHubWorld({ loom: false });
  service = await aService(world);
});
afterEach(async () => {
  await service.end();
  await redis?.dispose();
  redis = null;
  await world.end();
});

async function refusal(
  kind: "app" | "worker",
  env: Record<string, string>,
): Promise<{ code: number | null; text: string }> {
  const started = service.launch(kind, env);
  const { code } = await started.ended;
  const text = started
    .said()
    .replaceAll(world.folder, "FOLDER")
    .replaceAll(/process \d+/g, "process N")
    .replaceAll(new URL(service.url).port, "PORT");
  return {
    code,
    text: text
      .split("\n")
      .filter((line) => !line.startsWith("{") && line !== `WARN (loom): ${NO_SANDBOX_NOTE}`)
      .join("\n")
      .trim(),
  };
}

it("says what is wrong with its settings and ends with 2", { timeout: 60_000 }, async () => {
  expect(await refusal("worker", {})).toMatchInlineSnapshot(`
    {
      "code": 2,
      "text": "loom: A worker needs the Redis that the App uses.
          Set REDIS_URL, or run \`loom app\` alone: without Redis it runs the agents itself.",
    }
  `);
  expect(await refusal("app", { APP_ID: "x", PRIVATE_KEY: "y", WEBHOOK_SECRET: "" })).toMatchInlineSnapshot(`
    {
      "code": 2,
      "text": "loom: APP_ID is "x". Give the number on top of the App's settings page on GitHub.
          PRIVATE_KEY holds no private key. Copy the whole .pem file, or set PRIVATE_KEY_PATH to its path.
          WEBHOOK_SECRET is missing. Set the same secret here and in the App's settings on GitHub.",
    }
  `);
  expect(await refusal("app", { LOOM_CONCURRENCY: "none" })).toMatchInlineSnapshot(`
    {
      "code": 2,
      "text": "loom: LOOM_CONCURRENCY is "none".
          Give a whole number from 1 to 64.",
    }
  `);
  expect(await refusal("app", { LOOM_LABELS: "GPU!" })).toMatchInlineSnapshot(`
    {
      "code": 2,
      "text": "loom: LOOM_LABELS holds "GPU!".
          Labels have small letters, digits and hyphens, such as gpu or linux-arm.",
    }
  `);
  expect(await refusal("app", { LOOM_SWEEP_SECS: "0", LOOM_LEASE_SECS: "9" })).toMatchInlineSnapshot(`
    {
      "code": 2,
      "text": "loom: LOOM_SWEEP_SECS is "0".
          Give a number of seconds from 1 to 3600.",
    }
  `);
  expect(await refusal("app", { LOOM_LEASE_SECS: "1" })).toMatchInlineSnapshot(`
    {
      "code": 2,
      "text": "loom: LOOM_LEASE_SECS is "1".
          Give a number of seconds from 3 to 3600.",
    }
  `);
  expect(await refusal("app", { LOOM_EVENTS_URL: "nowhere" })).toMatchInlineSnapshot(`
    {
      "code": 2,
      "text": "loom: LOOM_EVENTS_URL is not an address.
          Give it as https://…",
    }
  `);
  expect(await refusal("app", { REDIS_URL: "localhost" })).toMatchInlineSnapshot(`
    {
      "code": 2,
      "text": "loom: The address of Redis can't be read.
          Write it as redis://host:6379, rediss://host:6379 for TLS, or redis://user:password@host:6379.",
    }
  `);
  expect(await refusal("app", { REDIS_URL: "redis://127.0.0.1:1" })).toMatchInlineSnapshot(`
    {
      "code": 1,
      "text": "WARN (loom): Redis at 127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1
    loom: Redis at 127.0.0.1:1 can't be used: connect ECONNREFUSED 127.0.0.1:1
          Start Redis, or set REDIS_URL to where it runs.",
    }
  `);
});

it("refuses a Redis that may throw keys away (F8)", { timeout: 60_000 }, async () => {
  redis = await startRedis(["--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru"]);
  for (const kind of ["app", "worker"] as const) {
    const { code, text } = await refusal(kind, { REDIS_URL: redis.url });
    expect(code).toBe(1);
    expect(text).toMatchInlineSnapshot(`
      "loom: Redis may throw Loom's runs away: its maxmemory-policy is allkeys-lru.
            Set \`maxmemory-policy noeviction\` in redis.conf, or run \`redis-cli config set maxmemory-policy noeviction\`; a managed Redis has it among its parameters. Then start Loom again."
    `);
  }
});

it("does not share its files with a second App, and takes them over when the first is gone", {
  timeout: 60_000,
}, async () => {
  const first = await service.start("app");
  expect(await refusal("app", { LOOM_PORT: "0" })).toMatchInlineSnapshot(`
    {
      "code": 2,
      "text": "loom: Another Loom (process N) works with FOLDER/data.
          Stop it, give this one a folder of its own with LOOM_DATA, or set REDIS_URL so that they can share the work.",
    }
  `);
  // With files of its own it still needs a port of its own.
  expect(await refusal("app", { LOOM_DATA: `${world.folder}/other` })).toMatchInlineSnapshot(`
    {
      "code": 1,
      "text": "loom: Port PORT is in use by another program.
          Set LOOM_PORT, or HOST, to something else.",
    }
  `);
  await first.kill();
  const second = await service.start("app");
  expect(await second.stop()).toEqual({ code: 0, signal: null });
});

it("is healthy while it lives and ready while its store answers", { timeout: 60_000 }, async () => {
  redis = await startRedis();
  const app = await service.start("app", { REDIS_URL: redis.url });
  const look = async (path: string): Promise<[number, unknown]> => {
    const response = await fetch(`${service.url}${path}`);
    return [response.status, await response.json().catch(() => null)];
  };
  expect((await look("/healthz"))[0]).toBe(200);
  expect(await look("/readyz")).toEqual([200, { ready: true, parts: { store: "ok" } }]);
  await redis.kill();
  const [status, body] = await look("/readyz");
  expect(status).toBe(503);
  expect(body).toMatchObject({ ready: false });
  expect((await look("/healthz"))[0]).toBe(200);
  await redis.start();
  await world.until(async () => (await look("/readyz"))[0] === 200, "ready again");
  expect(await app.stop()).toEqual({ code: 0, signal: null });
});
