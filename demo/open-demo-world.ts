import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { install } from "../playground/model/apps/install.ts";
import { setWebhookUrl } from "../playground/model/apps/set-webhook-url.ts";
import type { Repository } from "../playground/model/types.ts";
import { type AppCredentials, type Playground, registerApp, startPlayground } from "../playground/server.ts";
import { tryBubblewrap } from "../src/adapters/sandbox/provider/bubblewrap/try-bubblewrap.ts";
import { sandboxTexts } from "../src/core/report/texts/sandbox-texts.ts";
import { packageRoot } from "../src/wiring/folders/package-root.ts";
import { type ClaimedRedis, claimRedis } from "./claim-redis.ts";
import { furnish } from "./furnish.ts";
import { type LoomProcess, startLoom } from "./start-loom.ts";
import { withTasks } from "./task-script.ts";

export type DemoWorld = {
  readonly github: Playground;
  readonly repository: Repository;
  /** The issue that the demo's plan is for. */
  readonly issue: number;
  /** Loom's account. */
  readonly bot: string;
  readonly store: "files" | "redis";
  /** Why its agents have no sandbox, said loudly; null when they have one, or the user said that they need none. */
  readonly noSandbox: string | null;
  /** Resolves when a part of Loom ends although nobody asked it to. */
  readonly died: Promise<string>;
  close(): Promise<void>;
};

export type DemoWorldOptions = {
  readonly port?: number;
  readonly redisUrl?: string | null;
};

/**
 * The whole product on one machine: a GitHub look-alike, a repository, and the real `loom app` as a process of its own,
 * with a `loom worker` beside it when there is a Redis. `close` ends and removes all of it.
 */
export async function openDemoWorld(options: DemoWorldOptions = {}): Promise<DemoWorld> {
  const closers: (() => Promise<unknown>)[] = [];
  const close = once(async () => {
    for (const closer of closers.toReversed()) await closer();
  });
  try {
    const folder = await mkdtemp(join(tmpdir(), "loom-demo-"));
    closers.push(() => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
    const redis = options.redisUrl ? await claimRedis(options.redisUrl) : null;
    if (redis) closers.push(() => redis.release());
    const github = await startPlayground({
      root: join(folder, "github"),
      ...(options.port === undefined ? {} : { port: options.port }),
    });
    closers.push(() => github.close());
    const { repository, issue } = await furnish(github, join(packageRoot(), "demo"));
    const credentials = register(github, repository);
    const noSandbox = await whyNoSandbox(process.env);
    const env = {
      ...(await environment(folder, github, credentials, redis)),
      // A service refuses to start without; here the agents follow a script of Loom's own.
      ...(noSandbox === null ? {} : { LOOM_SANDBOX: "off" }),
    };
    const processes: LoomProcess[] = [];
    for (const command of redis ? (["app", "worker"] as const) : (["app"] as const)) {
      const started = await startLoom({ command, cwd: folder, env });
      processes.push(started);
      closers.push(() => started.stop());
    }
    listenTo(credentials, processes[0]?.greeting ?? "");
    return {
      github,
      repository,
      issue,
      bot: credentials.app.bot,
      store: redis ? "redis" : "files",
      noSandbox,
      died: Promise.race(processes.map(({ died }) => died)),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function whyNoSandbox({ LOOM_SANDBOX, PATH }: NodeJS.ProcessEnv): Promise<string | null> {
  if (!["", "auto"].includes(LOOM_SANDBOX?.trim() ?? "")) return null;
  const trial = await tryBubblewrap({ PATH }, process.cwd());
  return trial.kind === "fails" ? sandboxTexts.demoHasNone(trial.reason) : null;
}

function register({ world }: Playground, repository: Repository): AppCredentials {
  const manifest = parse(readFileSync(join(packageRoot(), "app.yml"), "utf8"));
  const credentials = registerApp(world, {
    webhookUrl: null,
    permissions: manifest.default_permissions,
    events: manifest.default_events,
  });
  install(world, credentials.app, { account: repository.owner, repositories: [repository] });
  return credentials;
}

/** The App has to be known before Loom can say where it listens, so its address is filled in afterwards. */
function listenTo({ app }: AppCredentials, greeting: string): void {
  const url = /http:\/\/\S+/.exec(greeting)?.[0];
  if (url === undefined) throw new Error(`\`loom app\` did not say where it listens: ${greeting}`);
  setWebhookUrl(app, `${url}/api/github/webhooks`);
}

/** Of the user's own settings only these reach Loom: where programs and temporary files are, language, time zone, sandbox. */
async function environment(
  folder: string,
  github: Playground,
  credentials: AppCredentials,
  redis: ClaimedRedis | null,
): Promise<Record<string, string>> {
  const home = join(packageRoot(), "demo");
  await mkdir(join(folder, "home"));
  const script = join(folder, "script.yaml");
  const [agents, plan] = await Promise.all(
    ["script.yaml", "PLAN.md"].map((name) => readFile(join(home, name), "utf8")),
  );
  await writeFile(script, withTasks(agents ?? "", plan ?? ""));
  const kept = ["PATH", "TMPDIR", "TZ", "LANG", "LC_ALL", "LOOM_SANDBOX"].flatMap(
    (name): [string, string][] => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    },
  );
  return {
    ...Object.fromEntries(kept),
    HOME: join(folder, "home"),
    APP_ID: String(credentials.appId),
    PRIVATE_KEY: credentials.privateKeyPem,
    WEBHOOK_SECRET: credentials.webhookSecret,
    GHE_HOST: new URL(github.url).host,
    GHE_PROTOCOL: "http",
    LOOM_PORT: "0",
    LOOM_DATA: join(folder, "data"),
    LOOM_SCRIPT: script,
    LOOM_WRITE_PAUSE_MS: "0",
    LOG_LEVEL: "warn",
    ...(redis ? { REDIS_URL: redis.url } : {}),
  };
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null;
  return () => {
    done ??= work();
    return done;
  };
}
