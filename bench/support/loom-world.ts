import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parse } from "yaml";
import { type LoomProcess, startLoom } from "../../demo/start-loom.ts";
import { install } from "../../playground/model/apps/install.ts";
import { setWebhookUrl } from "../../playground/model/apps/set-webhook-url.ts";
import { addComment } from "../../playground/model/issues/add-comment.ts";
import { addLabel } from "../../playground/model/issues/add-label.ts";
import { openIssue } from "../../playground/model/issues/open-issue.ts";
import { createRepository } from "../../playground/model/people/create-repository.ts";
import { createUser } from "../../playground/model/people/create-user.ts";
import { setRole } from "../../playground/model/people/set-role.ts";
import type { Issue, Repository } from "../../playground/model/types.ts";
import { UNLIMITED } from "../../playground/rest/check-limits.ts";
import {
  type AppCredentials,
  type Playground,
  registerApp,
  startPlayground,
} from "../../playground/server.ts";
import { packageRoot } from "../../src/wiring/folders/package-root.ts";
import { cpuBelow } from "./process-cpu.ts";

/** A GitHub look-alike in this process, and the real `loom app` and `loom worker` in processes of their own. */
export type LoomWorld = {
  readonly folder: string;
  readonly github: Playground;
  readonly repositories: readonly Repository[];
  readonly bot: string;
  /** Somebody opens an issue with this plan and asks for a run. */
  ask(repository: Repository, title: string, plan: string): Issue;
  /** Somebody sets the label that approves. */
  approve(repository: Repository, plan: Issue): void;
  /** Looks again and again; throws when a part of Loom ends, or the time does. */
  until<T>(look: () => T, what: string, patience?: Patience): Promise<NonNullable<T>>;
  /** Nobody asked GitHub anything for a while. */
  quiet(forMs?: number): Promise<void>;
  /** What the parts of Loom have used of the CPU so far, their programs included, in milliseconds. */
  cpu(): { readonly app: number; readonly workers: number };
  close(): Promise<void>;
};

export type Patience = { readonly withinMs?: number; readonly everyMs?: number };

export type LoomWorldOptions = {
  readonly redisUrl: string | null;
  /** Besides the App, which is the only one that works without Redis. */
  readonly workers: number;
  readonly repositories: number;
  readonly files: Readonly<Record<string, string>>;
  /** Given the world's folder. */
  readonly env: (folder: string) => Readonly<Record<string, string>>;
};

const CONFIG = "version: 1\nmerge:\n  mode: auto\n";
const QUIET_MS = 500;

export async function openLoomWorld(options: LoomWorldOptions): Promise<LoomWorld> {
  const closers: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).toReversed()) await closer();
  };
  try {
    const folder = await mkdtemp(join(tmpdir(), "loom-bench-world-"));
    closers.push(() => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
    const github = await startPlayground({ root: join(folder, "github") });
    closers.push(() => github.close());
    // What Loom can do is measured here, not how long GitHub would make it wait.
    Object.assign(github.world.github.limits, {
      primary: UNLIMITED,
      pointsPerMinute: UNLIMITED,
      contentPerMinute: UNLIMITED,
      contentPerHour: UNLIMITED,
    });
    const repositories = await furnish(github, options);
    const credentials = register(github, repositories);
    const loom: LoomProcess[] = [];
    const start = async (command: "app" | "worker", name: string): Promise<void> => {
      const env = await environment({ folder, github, credentials, name, options });
      const started = await startLoom({ command, cwd: folder, env });
      loom.push(started);
      closers.push(() => started.stop());
    };
    await start("app", "app");
    for (let n = 1; n <= options.workers; n += 1) await start("worker", `worker-${n}`);
    listenTo(credentials, loom[0]?.greeting ?? "");
    return createHandle(folder, github, repositories, credentials, loom, close);
  } catch (error) {
    await close();
    throw error;
  }
}

function createHandle(
  folder: string,
  github: Playground,
  repositories: readonly Repository[],
  credentials: AppCredentials,
  loom: readonly LoomProcess[],
  close: () => Promise<void>,
): LoomWorld {
  const { world } = github;
  const { requests } = world.github;
  let death: string | null = null;
  for (const { died } of loom)
    void died.then((how) => {
      death = how;
    });

  async function until<T>(look: () => T, what: string, patience: Patience = {}): Promise<NonNullable<T>> {
    const { withinMs = 60_000, everyMs = 5 } = patience;
    const end = Date.now() + withinMs;
    for (;;) {
      const found = look();
      if (found) return found;
      if (death !== null) throw new Error(death);
      if (Date.now() > end) throw new Error(`gave up waiting: ${what}`);
      await pause(everyMs);
    }
  }

  return {
    folder,
    github,
    repositories,
    bot: credentials.app.bot,
    ask(repository, title, plan) {
      const issue = openIssue(world, repository, { by: "ada", title, body: plan });
      addComment(world, repository, issue, { by: "ada", body: "/loom run" });
      return issue;
    },
    approve: (repository, plan) =>
      void addLabel(world, repository, plan, { by: "ada", label: "loom: approve" }),
    until,
    async quiet(forMs = QUIET_MS) {
      await until(() => Date.now() - (requests.at(-1)?.at ?? 0) > forMs, "a quiet moment");
    },
    cpu() {
      const [app = Number.NaN, ...workers] = loom.map(({ pid }) => cpuBelow(pid));
      return { app, workers: workers.reduce((sum, one) => sum + one, 0) };
    },
    close,
  };
}

/** The pull request with the plan that an issue asked for, once it is there. */
export function planOf(repository: Repository, issue: Issue): Issue | undefined {
  return [...repository.issues.values()].find(
    ({ pull, body }) => pull?.headRef.endsWith(".plan") && new RegExp(`#${issue.number}\\b`).test(body ?? ""),
  );
}

async function furnish(github: Playground, options: LoomWorldOptions): Promise<Repository[]> {
  const { world } = github;
  createUser(world, { login: "ada" });
  const repositories: Repository[] = [];
  for (let n = 1; n <= options.repositories; n += 1) {
    const name = `project-${n}`;
    const files = { ...options.files, ".github/loom.yml": CONFIG };
    const repository = await createRepository(world, {
      owner: "ada",
      name,
      gitDir: github.gitDir("ada", name),
      files,
    });
    setRole(world, repository, { login: "ada", role: "admin" });
    repositories.push(repository);
  }
  return repositories;
}

function register({ world }: Playground, repositories: readonly Repository[]): AppCredentials {
  const manifest = parse(readFileSync(join(packageRoot(), "app.yml"), "utf8"));
  const credentials = registerApp(world, {
    webhookUrl: null,
    permissions: manifest.default_permissions,
    events: manifest.default_events,
  });
  install(world, credentials.app, { account: "ada", repositories });
  return credentials;
}

/** The App has to be known before Loom can say where it listens, so its address is filled in afterwards. */
function listenTo({ app }: AppCredentials, greeting: string): void {
  const url = /http:\/\/\S+/.exec(greeting)?.[0];
  if (url === undefined) throw new Error(`\`loom app\` did not say where it listens: ${greeting}`);
  setWebhookUrl(app, `${url}/api/github/webhooks`);
}

type ProcessParts = {
  readonly folder: string;
  readonly github: Playground;
  readonly credentials: AppCredentials;
  readonly name: string;
  readonly options: LoomWorldOptions;
};

/** Each process has files of its own, as on machines of their own. */
async function environment(parts: ProcessParts): Promise<Record<string, string>> {
  const { folder, github, credentials, name, options } = parts;
  await mkdir(join(folder, "home"), { recursive: true });
  return {
    PATH: process.env.PATH ?? "",
    ...(process.env.TMPDIR === undefined ? {} : { TMPDIR: process.env.TMPDIR }),
    HOME: join(folder, "home"),
    APP_ID: String(credentials.appId),
    PRIVATE_KEY: credentials.privateKeyPem,
    WEBHOOK_SECRET: credentials.webhookSecret,
    GHE_HOST: new URL(github.url).host,
    GHE_PROTOCOL: "http",
    LOOM_PORT: "0",
    LOOM_DATA: join(folder, name),
    LOOM_WRITE_PAUSE_MS: "0",
    // The agents leave their marks outside of the work tree.
    LOOM_SANDBOX: "off",
    ...(options.redisUrl === null ? {} : { REDIS_URL: options.redisUrl }),
    ...options.env(folder),
  };
}
