import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Redis } from "ioredis";

export type BenchRedis = { readonly url: string; close(): Promise<void> };

/** What REDIS_URL names, which has to be empty; without it a redis-server of its own, set as in compose.yaml; else null. */
export async function openRedis(): Promise<BenchRedis | null> {
  if (process.env.REDIS_URL) return openEmpty(process.env.REDIS_URL);
  const folder = await mkdtemp(join(tmpdir(), "loom-bench-redis-"));
  const port = await freePort();
  const child = spawn(
    "redis-server",
    ["--bind", "127.0.0.1", "--port", String(port), "--dir", folder, "--save", "", "--appendonly", "yes"],
    { stdio: ["ignore", "pipe", "ignore"] },
  );
  // However the benchmark ends.
  process.once("exit", () => child.kill());
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const isThere = await new Promise<boolean>((resolve) => {
    child.on("error", () => resolve(false));
    child.on("exit", () => resolve(false));
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (line.includes("Ready to accept connections")) resolve(true);
    });
  });
  if (!isThere) {
    await remove();
    return null;
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    async close() {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
      await remove();
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

/** A Loom that works with the same database would take the benchmark's jobs, and lose its own at the end. */
async function openEmpty(url: string): Promise<BenchRedis> {
  const redis = new Redis(url);
  if ((await redis.dbsize()) > 0) {
    redis.disconnect();
    throw new Error(
      "The database of REDIS_URL is not empty. Name one that is, such as redis://localhost/15.",
    );
  }
  return {
    url,
    async close() {
      await redis.flushdb();
      redis.disconnect();
    },
  };
}
