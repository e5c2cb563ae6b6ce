import { type ChildProcess, spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { setWebhookUrl } from "../../playground/model/apps/set-webhook-url.ts";
import { connectRedis } from "../../src/adapters/redis/connect-redis.ts";
import { createRawRedisRunStore } from "../../src/adapters/redis/ledger/run-store.ts";
import type { RunId } from "../../src/core/ids.ts";
import { repoId } from "../../src/core/ids.ts";
import type { RunEvent } from "../../src/core/run/events.ts";
import { evolve } from "../../src/core/run/evolve/evolve.ts";
import type { Run } from "../../src/core/run/run.ts";
import type { RunStore } from "../../src/ports/ledger-store.ts";
import { NO_AUDIT } from "../../src/wiring/hosted/audit-log.ts";
import { createSeals, rawFiles, type Seals } from "../../src/wiring/stores/seals.ts";
import { freePort } from "../adapters/redis/redis-server.ts";
import type { GitHubWorld } from "./github-world.ts";
import { SEALS } from "./seals.ts";

const CLI = resolve(import.meta.dirname, "../../dist/src/cli/main.js");

export type Exit = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

/** `loom app` or `loom worker` as a process of its own. */
export type LoomService = {
  readonly pid: number;
  /** All it has said so far. */
  said(): string;
  /** Resolves when it takes webhooks or jobs; throws when it ends before. */
  readonly ready: Promise<void>;
  readonly ended: Promise<Exit>;
  signal(name: NodeJS.Signals): void;
  /** kill -9, and its end. */
  kill(): Promise<void>;
  /** SIGTERM, and its end. */
  stop(): Promise<Exit>;
};

function startService(
  kind: "app" | "worker",
  env: Readonly<Record<string, string>>,
  cwd: string,
): LoomService {
  const child: ChildProcess = spawn(process.execPath, [CLI, kind], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  let isReady = (): void => {};
  let failed: (error: Error) => void = () => {};
  const ready = new Promise<void>((done, fail) => {
    isReady = done;
    failed = fail;
  });
  ready.catch(() => {});
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (/^(Loom listens on|The worker \S+ takes jobs)/m.test(text)) isReady();
    });
  const ended = new Promise<Exit>((done) => {
    child.on("close", (code, signal) => {
      failed(new Error(`loom ${kind} ended with ${code ?? signal}:\n${text}`));
      done({ code, signal });
    });
  });
  return {
    pid: child.pid ?? -1,
    said: () => text,
    ready,
    ended,
    signal: (name) => void child.kill(name),
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
    stop() {
      child.kill("SIGTERM");
      return ended;
    },
  };
}

/**
 * Real processes around a GitHub world that runs no Loom of its own (`loom: false`). The App keeps its port, so that
 * webhooks find it after a restart.
 */
export async function aService(world: GitHubWorld, redisUrl: string | null = null) {
  const port = await freePort();
  const services = new Set<LoomService>();
  const redis = redisUrl === null ? null : await connectRedis(redisUrl, { role: "worker" });
  const repo = repoId(world.repository.id);
  const openStore = (seals: Seals): RunStore =>
    redis === null
      ? seals.runs(rawFiles(join(world.folder, "data", "repositories", repo, "runs"), "runs"), repo)
      : seals.runs(createRawRedisRunStore({ redis, scope: repo }), repo);
  let store = openStore(SEALS);
  const env: Record<string, string> = {
    ...world.env,
    APP_ID: String(world.credentials.appId),
    PRIVATE_KEY: world.credentials.privateKeyPem,
    WEBHOOK_SECRET: world.credentials.webhookSecret,
    GHE_HOST: new URL(world.github.url).host,
    GHE_PROTOCOL: "http",
    LOOM_PORT: String(port),
    LOOM_SWEEP_SECS: "1",
    LOOM_LEASE_SECS: "3",
    LOOM_CONCURRENCY: "2",
    LOG_LEVEL: "warn",
    ...(redisUrl === null ? {} : { REDIS_URL: redisUrl }),
  };
  setWebhookUrl(world.credentials.app, `http://127.0.0.1:${port}/api/github/webhooks`);

  async function start(
    kind: "app" | "worker",
    more: Readonly<Record<string, string>> = {},
  ): Promise<LoomService> {
    const service = launch(kind, more);
    await service.ready;
    return service;
  }

  function launch(
    kind: "app" | "worker",
    more: Readonly<Record<string, string>> = {},
    cwd: string = world.folder,
  ): LoomService {
    const service = startService(kind, { ...env, ...more }, cwd);
    services.add(service);
    return service;
  }

  async function events(run?: RunId): Promise<readonly RunEvent[]> {
    const id = run ?? (await store.list())[0];
    return id === undefined ? [] : (await store.load(id)).events;
  }

  return {
    url: `http://127.0.0.1:${port}`,
    env,
    store,
    /** Ledgers are read as those of the App with this key from now on. */
    useKey(privateKey: string): void {
      store = openStore(createSeals({ privateKey }, NO_AUDIT));
    },
    redis,
    start,
    launch,
    events,
    async run(): Promise<Run | null> {
      return evolve(null, await events());
    },
    /** Waits for the run to be so; on failure says all that is known. */
    async until(is: (run: Run) => boolean, what: string): Promise<Run> {
      const last: { run: Run | null } = { run: null };
      try {
        return await world.until(async () => {
          last.run = await this.run();
          return last.run && is(last.run) ? last.run : null;
        }, what);
      } catch (error) {
        const stages = [...(last.run?.stages ?? [])].map(
          ([id, { state }]) => `${id}: ${JSON.stringify(state)}`,
        );
        const said = [...services].map((service) => `--- ${service.pid}\n${service.said().slice(-3000)}`);
        throw new Error(
          `${(error as Error).message}\n${last.run?.status}\n${stages.join("\n")}\n${said.join("\n")}`,
        );
      }
    },
    said: () => [...services].map((service) => service.said()).join("\n"),
    /** Ends whatever still runs. */
    async end(): Promise<void> {
      for (const service of services) {
        service.signal("SIGCONT");
        service.signal("SIGKILL");
      }
      await Promise.all([...services].map(({ ended }) => ended));
      await store.close();
      redis?.disconnect();
    },
  };
}

export type Service = Awaited<ReturnType<typeof aService>>;
