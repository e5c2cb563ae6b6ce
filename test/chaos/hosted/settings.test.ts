import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { type RedisServer, startRedis } from "../../adapters/redis/redis-server.ts";
import type { GitHubWorld } from "../../support/github-world.ts";
import { aGitHubWorld } from "../../support/github-world.ts";
import { aService, type Service } from "../../support/hosted-processes.ts";
import { askLoom, NO_SANDBOX_NOTE } from "../../support/loom-cli.ts";
import { withoutBubblewrap } from "../../support/without-bubblewrap.ts";

let world: GitHubWorld;
let service: Service;
let redis: RedisServer | null = null;
beforeAll(async () => {
  world = await aGitHubWorld({ loom: false });
});
beforeEach(async () => {
  service = await aService(world);
});
afterEach(async () => {
  await service.end();
  await redis?.dispose();
  redis = null;
});
afterAll(() => world.end());

type Refusal = { readonly code: number | null; readonly text: string };

async function refusal(kind: "app" | "worker", env: Record<string, string>): Promise<Refusal> {
  const started = service.launch(kind, env);
  const { code } = await started.ended;
  return told(code, started.said());
}

/** The same within this process, for what is refused before anything is opened. */
async function refusalHere(kind: "app" | "worker", env: Record<string, string>): Promise<Refusal> {
  const options = { cwd: world.folder, env: { ...service.env, ...env }, whole: true };
  const { code, stdout, stderr } = await askLoom([kind], options);
  return told(code, `${stdout}${stderr}`);
}

function told(code: number | null, said: string): Refusal {
  const text = said
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

it("says what is wrong with its settings and ends with 2", async () => {
  // Each as a process of its own, side by side.
  const alone = refusal("worker", {});
  const nowhere = refusal("app", { LOOM_EVENTS_URL: "nowhere" });
  const unreadable = refusal("app", { REDIS_URL: "localhost" });
  const absent = refusal("app", { REDIS_URL: "redis://127.0.0.1:1" });
  expect(await alone).toMatchInlineSnapshot(`
    {
      "code": 2,
      "text": "loom: A worker needs the Redis that the App uses.
          Set REDIS_URL, or run \`loom app\` alone: without Redis it runs the agents itself.",
    }
  `);
  expect(
    await refusalHere("app", { APP_ID: "x", PRIVATE_KEY: "y", WEBHOOK_SECRET: "" }),
  ).toMatchInlineSnapshot(`
    {
      "code": 2,
      "text": "loom: APP_ID is "x". Give the number on top of the App's settings page on GitHub.
          PRIVATE_KEY holds no private key. Copy the whole .pem file, or set PRIVATE_KEY_PATH to its path.
          WEBHOOK_SECRET is missing. Set the same secret here and in the App's settings on GitHub.",
    }
  `);
  expect(await refusalHere("app", { LOOM_CONCURRENCY: "none" })).toMatchInlineSnapshot(`
    {
      "code": 2,
      "text": "loom: LOOM_CONCURRENCY is "none".
          Give a whole number from 1 to 64.",
    }
  `);
  expect(await refusalHere("app", { LOOM_LABELS: "GPU!" })).toMatchInlineSnapshot(`
    {
      "code": 2,
      "text": "loom: LOOM_LABELS holds "GPU!".
          Labels have small letters, digits and hyphens, such as gpu or linux-arm.",
    }
  `);
  expect(await refusalHere("app", { LOOM_SWEEP_SECS: "0", LOOM_LEASE_SECS: "9" })).toMatchInlineSnapshot(`
    {
      "code": 2,
      "text": "loom: LOOM_SWEEP_SECS is "0".
          Give a number of seconds from 1 to 3600.",
    }
  `);
  expect(await refusalHere("app", { LOOM_LEASE_SECS: "1" })).toMatchInlineSnapshot(`
    {
      "code": 2,
      "text": "loom: LOOM_LEASE_SECS is "1".
          Give a number of seconds from 3 to 3600.",
    }
  `);
  expect(await nowhere).toMatchInlineSnapshot(`
    {
      "code": 2,
      "text": "loom: LOOM_EVENTS_URL is not an address.
          Give it as https://…",
    }
  `);
  expect(await unreadable).toMatchInlineSnapshot(`
    {
      "code": 2,
      "text": "loom: The address of Redis can't be read.
          Write it as redis://host:6379, rediss://host:6379 for TLS, or redis://user:password@host:6379.",
    }
  `);
  expect(await absent).toMatchInlineSnapshot(`
    {
      "code": 1,
      "text": "WARN (loom): Redis at 127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1
    loom: Redis at 127.0.0.1:1 can't be used: connect ECONNREFUSED 127.0.0.1:1
          Start Redis, or set REDIS_URL to where it runs.",
    }
  `);
});

it("starts no agents without a sandbox unless the operator says so (T43)", async () => {
  const bare = { LOOM_SANDBOX: "", PATH: withoutBubblewrap() };
  // Neither counts: it is not the operator who says `off` there.
  await writeFile(join(world.folder, ".env"), "LOOM_SANDBOX=off\n", { mode: 0o600 });
  const { code, text } = await refusal("app", bare);
  // How to have a sandbox is said in other words in a container.
  const plain = text.replace(/^ {6}(?!Or ).*$/m, "      <how to have one>");
  expect({ code, text: plain }).toMatchInlineSnapshot(`
    {
      "code": 2,
      "text": "loom: FOLDER/.env sets LOOM_SANDBOX, which counts only in a file that you name; it is ignored. Export it, or start with LOOM_ENV_FILE=FOLDER/.env
    loom: A service starts no agents without a sandbox, and there is none: bubblewrap can't build a sandbox here: No permissions to create a new namespace
          <how to have one>
          Or set LOOM_SANDBOX=off: agents and checks then run with the rights of this user, read its files and use its network.",
    }
  `);
  const logged = { cwd: world.folder, env: { ...service.env, ...bare, LOG_FORMAT: "json" } };
  const { stderr } = await askLoom(["app"], logged);
  const line = stderr.split("\n").find((one) => one.startsWith("{"));
  expect(JSON.parse(line ?? "{}")).toMatchObject({
    level: 40,
    audit: { boundary: "service", rule: "no-sandbox", count: 1 },
  });
  await rm(join(world.folder, ".env"));
  const worker = await refusalHere("worker", { ...bare, REDIS_URL: "redis://127.0.0.1:1" });
  expect([worker.code, worker.text]).toEqual([
    2,
    expect.stringContaining("A service starts no agents without a sandbox, and there is none"),
  ]);
  // Before anybody registers an App for nothing.
  const first = await refusalHere("app", { ...bare, APP_ID: "", PRIVATE_KEY: "", WEBHOOK_SECRET: "" });
  expect(first.text).toContain("A service starts no agents without a sandbox, and there is none");
  // With Redis the App runs none.
  redis = await startRedis();
  const app = await service.start("app", { ...bare, REDIS_URL: redis.url });
  expect((await app.stop()).code).toBe(0);
  const named = join(world.folder, "loom.env");
  await writeFile(named, "LOOM_SANDBOX=off\n", { mode: 0o600 });
  const said = await service.start("app", { ...bare, LOOM_ENV_FILE: named });
  expect(said.said()).toContain("No sandbox: agents and checks run with your rights");
  expect((await said.stop()).code).toBe(0);
});

it("refuses a Redis that may throw keys away (F8)", async () => {
  redis = await startRedis(["--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru"]);
  const { url } = redis;
  const both = (["app", "worker"] as const).map((kind) => refusal(kind, { REDIS_URL: url }));
  for (const { code, text } of await Promise.all(both)) {
    expect(code).toBe(1);
    expect(text).toMatchInlineSnapshot(`
      "loom: Redis may throw Loom's runs away: its maxmemory-policy is allkeys-lru.
            Set \`maxmemory-policy noeviction\` in redis.conf, or run \`redis-cli config set maxmemory-policy noeviction\`; a managed Redis has it among its parameters. Then start Loom again."
    `);
  }
});

it("does not share its files with a second App, and takes them over when the first is gone", async () => {
  const first = await service.start("app");
  // With files of its own it still needs a port of its own.
  const elsewhere = refusal("app", { LOOM_DATA: `${world.folder}/other` });
  expect(await refusal("app", { LOOM_PORT: "0" })).toMatchInlineSnapshot(`
    {
      "code": 2,
      "text": "loom: Another Loom (process N) works with FOLDER/data.
          Stop it, give this one a folder of its own with LOOM_DATA, or set REDIS_URL so that they can share the work.",
    }
  `);
  expect(await elsewhere).toMatchInlineSnapshot(`
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

it("is healthy while it lives and ready while its store answers", async () => {
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
