import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Redis } from "ioredis";
import { afterEach, describe, expect, it } from "vitest";
import { assertRedisKeeps } from "../../../src/adapters/redis/assert-redis-keeps.ts";
import { connectRedis } from "../../../src/adapters/redis/connect-redis.ts";
import { createRedisInbox } from "../../../src/adapters/redis/inbox.ts";
import { createRedisJobQueue } from "../../../src/adapters/redis/jobs/job-queue.ts";
import { createRedisRunStore } from "../../../src/adapters/redis/ledger/run-store.ts";
import { comment } from "../../contract/inbox.contract.ts";
import { created } from "../../contract/sample-events.ts";
import { ensureProgram } from "../../setup/ensure-program.ts";
import { until } from "../../support/living-processes.ts";
import { BY_THE_CLOCK } from "../../support/quickly.ts";
import { freePort, type RedisServer, startRedis } from "./redis-server.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function serve(...args: Parameters<typeof startRedis>): Promise<RedisServer> {
  const server = await startRedis(...args);
  cleanups.push(server.dispose);
  return server;
}

async function connect(...args: Parameters<typeof connectRedis>): Promise<Redis> {
  const redis = await connectRedis(...args);
  cleanups.push(() => redis.disconnect());
  return redis;
}

async function refusalOf(work: Promise<unknown>): Promise<{ message: string; next: string }> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  const { message, next } = error as { message: string; next: string };
  expect(error).toMatchObject({ name: "UserError" });
  return { message, next };
}

describe("a connection to Redis", () => {
  it("says where it can't connect, and never the password", async () => {
    const port = await freePort();
    const { message, next } = await refusalOf(
      connectRedis(`redis://ada:secret@127.0.0.1:${port}`, { role: "worker" }),
    );
    expect(message.replaceAll(String(port), "<port>")).toMatchInlineSnapshot(
      `"Redis at 127.0.0.1:<port> can't be used: connect ECONNREFUSED 127.0.0.1:<port>"`,
    );
    expect(next).toMatchInlineSnapshot(`"Start Redis, or set REDIS_URL to where it runs."`);
  });

  it.each(["", "localhost:6379", "http://localhost", "redis//x"])("refuses the address %j", async (url) => {
    expect(await refusalOf(connectRedis(url, { role: "worker" }))).toEqual({
      message: "The address of Redis can't be read.",
      next: "Write it as redis://host:6379, rediss://host:6379 for TLS, or redis://user:password@host:6379.",
    });
  });

  it("logs in as a user with rights to Loom's keys only", async () => {
    const server = await serve();
    const admin = await connect(server.url, { role: "worker" });
    await admin.acl(
      "SETUSER",
      "loom",
      "on",
      ">p@ss:w0rd",
      "~loom:*",
      "~{loom}:*",
      "+@all",
      "-@dangerous",
      "+info",
    );
    await admin.acl("SETUSER", "default", "resetpass", "off");
    const place = `127.0.0.1:${server.port}`;
    const redis = await connect(`redis://loom:${encodeURIComponent("p@ss:w0rd")}@${place}`, {
      role: "worker",
    });
    await assertRedisKeeps(redis);
    const store = createRedisRunStore({ redis, scope: "r12" });
    // This user may neither publish nor subscribe, so the watcher has to look.
    let changes = 0;
    store.watch("run-1", () => {
      changes += 1;
    });
    await until(() => changes === 1, "the watcher has looked");
    expect(await store.append("run-1", 0, [created("run-1")])).toEqual({ kind: "appended", version: 1 });
    await until(() => changes === 2, "the watcher has seen the change");
    await store.close();
    const queue = createRedisJobQueue({ redis });
    const seen: unknown[] = [];
    queue.process(async (job) => void seen.push(job), {
      concurrency: { sweep: 1 },
      attempts: 1,
      onGivenUp: async () => {},
    });
    await queue.enqueue({ kind: "sweep" });
    await queue.idle();
    expect(seen).toEqual([{ kind: "sweep" }]);
    await queue.close();
    const wrong = await refusalOf(connectRedis(`redis://loom:wrong@${place}`, { role: "producer" }));
    expect(wrong.message).toContain("WRONGPASS");
    expect(wrong.next).toBe("Check user and password in REDIS_URL, and that the user may run commands.");
  });

  it("speaks TLS with a server whose certificate it can check, and with no other", async () => {
    const port = await freePort();
    const server = await serve((folder) => {
      makeCertificate(folder);
      const files = ["--tls-cert-file", `${folder}/cert.pem`, "--tls-key-file", `${folder}/key.pem`];
      return [
        "--tls-port",
        String(port),
        "--tls-auth-clients",
        "no",
        "--tls-ca-cert-file",
        `${folder}/cert.pem`,
        ...files,
      ];
    });
    const ca = await readFile(join(server.folder, "cert.pem"), "utf8");
    const redis = await connect(`rediss://localhost:${port}`, { role: "producer", tls: { ca } });
    expect(await redis.ping()).toBe("PONG");
    const { message } = await refusalOf(connectRedis(`rediss://localhost:${port}`, { role: "producer" }));
    expect(message).toMatch(/can't be used: .*certificate/);
  });

  it(
    "of a producer fails within about a second, whether Redis is gone or stands still, and comes back",
    BY_THE_CLOCK,
    async () => {
      const server = await serve();
      const redis = await connect(server.url, { role: "producer" });
      const inbox = createRedisInbox({ redis });
      const queue = createRedisJobQueue({ redis });
      cleanups.push(() => queue.close());
      await queue.enqueue({ kind: "sweep" });
      const fails = async (): Promise<void> => {
        const start = performance.now();
        const results = await Promise.allSettled([
          inbox.put("d1", comment("hello")),
          queue.enqueue({ kind: "sweep" }),
          queue.enqueue({ kind: "delivery", delivery: "never opened before" }),
        ]);
        expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
        expect(performance.now() - start).toBeLessThan(2500);
      };
      const works = (): Promise<void> =>
        until(async () => {
          const put = inbox.put("d1", comment("hello"));
          return put.then(
            () => true,
            () => false,
          );
        }, "the producer works again");

      process.kill(server.pid(), "SIGSTOP");
      await fails();
      process.kill(server.pid(), "SIGCONT");
      await works();
      await server.kill();
      await until(() => redis.status !== "ready", "the connection is gone");
      await fails();
      await server.start();
      await works();
      await queue.enqueue({ kind: "delivery", delivery: "d1" });
    },
  );
});

describe("a Redis that would throw keys away", () => {
  it("is refused, with what to do", async () => {
    const server = await serve(["--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru"]);
    const redis = await connect(server.url, { role: "producer" });
    expect(await refusalOf(assertRedisKeeps(redis))).toMatchInlineSnapshot(`
      {
        "message": "Redis may throw Loom's runs away: its maxmemory-policy is allkeys-lru.",
        "next": "Set \`maxmemory-policy noeviction\` in redis.conf, or run \`redis-cli config set maxmemory-policy noeviction\`; a managed Redis has it among its parameters. Then start Loom again.",
      }
    `);
    await redis.config("SET", "maxmemory-policy", "volatile-ttl");
    expect((await refusalOf(assertRedisKeeps(redis))).message).toContain("volatile-ttl");
    await redis.config("SET", "maxmemory-policy", "noeviction");
    await assertRedisKeeps(redis);
  });

  it.each([
    ["CONFIG", ["-config"], "allkeys-random"],
    ["INFO", ["-info"], "allkeys-random"],
    ["CONFIG and INFO", ["-config", "-info"], "does not tell"],
  ])("is refused when %s is forbidden", async (_, rules, expected) => {
    const server = await serve(["--maxmemory-policy", "allkeys-random"]);
    const admin = await connect(server.url, { role: "worker" });
    await admin.acl("SETUSER", "loom", "on", ">x", "~*", "+@all", ...rules);
    const redis = await connect(`redis://loom:x@127.0.0.1:${server.port}`, { role: "producer" });
    expect((await refusalOf(assertRedisKeeps(redis))).message).toContain(expected);
  });
});

function makeCertificate(folder: string): void {
  ensureProgram("openssl", "openssl");
  const out = ["-keyout", `${folder}/key.pem`, "-out", `${folder}/cert.pem`, "-days", "2"];
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", ...out, ...subject], {
    stdio: "ignore",
  });
}
