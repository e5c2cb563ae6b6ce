import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ensureProgram } from "../../setup/ensure-program.ts";

export type RedisServer = {
  readonly url: string;
  readonly port: number;
  readonly folder: string;
  pid(): number;
  /** As a crash would: nothing is saved unless the server was told to. */
  kill(): Promise<void>;
  start(): Promise<void>;
  dispose(): Promise<void>;
};

/** A Redis of the test's own, on a free port, that keeps nothing unless told to. */
export async function startRedis(
  settings: readonly string[] | ((folder: string, port: number) => readonly string[]) = [],
): Promise<RedisServer> {
  ensureProgram("redis-server", "redis-server");
  const folder = await mkdtemp(join(tmpdir(), "loom-redis-"));
  const port = await freePort();
  const more = typeof settings === "function" ? settings(folder, port) : settings;
  const args = ["--bind", "127.0.0.1", "--port", String(port), "--dir", folder, "--save", "", ...more];
  let child: ChildProcess | null = null;

  async function start(): Promise<void> {
    const started = spawn("redis-server", args, { stdio: ["ignore", "pipe", "ignore"] });
    child = started;
    if (started.stdout === null) throw new Error("redis-server has no output");
    const said: string[] = [];
    for await (const line of createInterface({ input: started.stdout })) {
      said.push(line);
      if (line.includes("Ready to accept connections")) return void started.stdout.resume();
    }
    throw new Error(`redis-server did not start:\n${said.join("\n")}`);
  }

  async function kill(): Promise<void> {
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  }

  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    folder,
    pid: () => child?.pid ?? -1,
    kill,
    start,
    async dispose() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}
