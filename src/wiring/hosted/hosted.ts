import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import { createGit } from "../../adapters/git/run/git.ts";
import { createGitHubApp, type GitHubApp } from "../../adapters/github/app.ts";
import { type FileLock, tryLock } from "../../adapters/os/file-lock.ts";
import { createSupervisor } from "../../adapters/sandbox/processes/process-supervisor.ts";
import type { RepositoryRef } from "../../core/command/delivery.ts";
import { readKeepLimits } from "../../core/config/keep-limits.ts";
import { UserError } from "../../core/errors.ts";
import { type RepoId, repoId, toId } from "../../core/ids.ts";
import { createSecretScan, type SecretScan } from "../../core/merge/secret-scan.ts";
import { parsePlan } from "../../core/plan/read/parse-plan.ts";
import { agentsFor } from "../../core/roster/agent-list.ts";
import { findRepositoryRef, rememberRepository } from "../../engine/github/delivery/known-repositories.ts";
import type { Host, RepoEngine } from "../../engine/github/host.ts";
import type { AppClient } from "../../ports/app-client.ts";
import type { Audit } from "../../ports/audit.ts";
import type { Workspace } from "../../ports/workspace.ts";
import { openAgents } from "../agents.ts";
import { checkPattern } from "../check-pattern.ts";
import { assertPlace } from "../folders/place-trouble.ts";
import { sweepHostedDisk } from "../folders/sweep-hosted-disk.ts";
import { openRoster } from "../load-roster.ts";
import { requireSandbox } from "../require-sandbox.ts";
import type { Env } from "../settings/env.ts";
import { dataFolder, pacing, slotsOf, withoutOwnSecrets } from "../settings/hosted-env.ts";
import { hostedSettings, settingsWarnings } from "../settings/hosted-settings.ts";
import { secretsInFiles } from "../settings/secret-files.ts";
import { createStamp } from "../stamp.ts";
import type { HostedStore } from "../stores/hosted-store.ts";
import { openHostedStore } from "../stores/open-hosted-store.ts";
import { createSeals } from "../stores/seals.ts";
import { type AuditLog, createAuditLog, type WriteAudit } from "./audit-log.ts";
import { createEventWebhook } from "./event-webhook.ts";
import { createHarnessBoard } from "./harness-board.ts";
import { type OpenRepository, openRepositoryEngine } from "./repository-engine.ts";

export type HostedOptions = {
  readonly env: Env;
  readonly cwd: string;
  readonly app: {
    readonly appId: number;
    readonly privateKey: string;
    /** What it replaced: what was signed with them still counts. */
    readonly previousKeys?: readonly string[];
    readonly baseUrl: string;
    /** Of the pages people see; git is there as well. */
    readonly githubUrl: string;
  };
  readonly warn: (message: string, error?: unknown) => void;
  /** Where refusals go; told by `warn` when there is no place for their fields. */
  readonly writeAudit?: WriteAudit;
  /** false where others run the agents. */
  readonly runsAgents?: boolean;
  readonly showAfterMs?: number;
  /** For so long a process that is not heard of keeps what it works on. */
  readonly patienceMs?: number;
};

const SHOW_AFTER_MS = 1500;
const PATIENCE_MS = 30_000;
const HOUR_MS = 3_600_000;

/** Loom as a service: many repositories, one store, any number of processes. */
export type Hosted = {
  readonly host: Host;
  readonly store: HostedStore;
  readonly audit: Audit;
  /** Once an hour: removes what nobody needs any more from the disk of this process. */
  sweepDisk(): Promise<void>;
  /** The name under which this process keeps work trees; a restart under the same name finds them again. */
  readonly worker: string;
  close(): Promise<void>;
};

export async function openHosted(options: HostedOptions): Promise<Hosted> {
  const { env, cwd, warn } = options;
  if (options.runsAgents ?? true) await requireSandbox(env, options.cwd);
  const data = resolve(cwd, dataFolder(env));
  await assertPlace("The data of a service", data, "Set LOOM_DATA to a folder that you may write to.");
  await mkdir(data, { recursive: true, mode: 0o700 });
  const ownKeys = [options.app.privateKey, ...(options.app.previousKeys ?? [])];
  const secrets = createSecretScan(env, [...ownKeys, ...secretsInFiles(env, cwd)]);
  const { redact } = secrets;
  const redisUrl = env.REDIS_URL?.trim() || null;
  const write = options.writeAudit ?? ((_fields: unknown, message: string) => warn(message));
  const audit = createAuditLog({ write, redact });
  const locks: FileLock[] = [];
  const release = async (): Promise<void> => {
    for (const lock of locks) await lock.release();
  };
  let store: HostedStore | null = null;
  try {
    if (redisUrl === null) locks.push(await lockData(data));
    const { name: worker, lock } = await takeName(join(data, "workers"), env);
    locks.push(lock);
    store = await openHostedStore({
      redisUrl,
      data,
      seals: createSeals(options.app, audit),
      patienceMs: options.patienceMs ?? PATIENCE_MS,
      warn: (message) => warn(redact(message)),
      audit,
    });
    return await build({ ...options, data, secrets, store, worker, release, audit });
  } catch (error) {
    // Whoever can't start says why and leaves nothing behind that others would wait for.
    store?.leave();
    await store?.queue.close();
    await store?.close();
    await release();
    audit.close();
    throw error;
  }
}

type Opened = HostedOptions & {
  readonly data: string;
  readonly secrets: SecretScan;
  readonly store: HostedStore;
  readonly worker: string;
  readonly release: () => Promise<void>;
  readonly audit: AuditLog;
};

async function build({ store, data, worker, secrets, release, audit, ...options }: Opened): Promise<Hosted> {
  const { env, cwd, app, warn } = options;
  const github = createGitHubApp({
    appId: app.appId,
    privateKey: app.privateKey,
    baseUrl: app.baseUrl,
    cache: store.cache,
    ...pacing(env),
  });
  const supervisor = createSupervisor();
  const agentEnv = withoutOwnSecrets(env);
  const { runsAgents = true } = options;
  const folder = join(data, "sandboxes", worker);
  const agents = await openAgents({ supervisor, env: agentEnv, cwd, folder, runsAgents });
  const { warning, next } = agents.sandboxes.report;
  if (runsAgents && warning) warn(`${warning} ${next ?? ""}`.trimEnd());
  const { roster, warnings: rosterWarnings } = openRoster(agentEnv);
  for (const text of [...settingsWarnings(env), ...rosterWarnings]) warn(text);
  const isShared = Boolean(env.REDIS_URL?.trim());
  const board = createHarnessBoard(store.cache, agents.harnesses, isShared);
  const client = await createClient(github);
  const stop = new AbortController();
  const program = createGit({ cwd, stop: stop.signal });
  const engines = new Map<
    RepoId,
    { readonly repoRef: RepositoryRef; readonly opening: Promise<OpenRepository> }
  >();
  // Of all repositories and runs: two of one run would lend the same work trees.
  const workspaces = new Map<string, Workspace>();
  const notify = createEventWebhook(env);

  /** One per repository, and a new one when that was renamed or the App was installed anew. No await before it is set. */
  function openAt(repoRef: RepositoryRef): Promise<OpenRepository> {
    const repo = repoId(repoRef.repo.id);
    const known = engines.get(repo);
    if (known && isSamePlace(known.repoRef, repoRef)) return known.opening;
    const opening = openRepositoryEngine({
      ...{
        repoRef,
        data,
        worker,
        program,
        github,
        supervisor,
        agents,
        roster,
        secrets,
        store,
        client,
        warn,
        audit,
        workspaces,
      },
      env: agentEnv,
      githubUrl: app.githubUrl,
      keys: app,
      notifies: notify !== null,
      showAfterMs: options.showAfterMs ?? SHOW_AFTER_MS,
    });
    engines.set(repo, { repoRef, opening });
    opening.catch(() => {
      if (engines.get(repo)?.opening === opening) engines.delete(repo);
    });
    return opening;
  }

  /** Opened anew as well when the mirror was: no tree stands on one that was just made. */
  async function engineAt(repoRef: RepositoryRef): Promise<RepoEngine> {
    const repo = repoId(repoRef.repo.id);
    for (;;) {
      const opening = openAt(repoRef);
      const opened = await opening;
      if (opened.use()) return opened.engine;
      if (engines.get(repo)?.opening !== opening) continue;
      engines.delete(repo);
      for (const key of workspaces.keys()) if (key.startsWith(`${repo}/`)) workspaces.delete(key);
    }
  }

  const host: Host = {
    inbox: store.inbox,
    queue: store.queue,
    leases: store.leases,
    cache: store.cache,
    client,
    async repository(repo) {
      // Asked each time: another process may have learned that it is elsewhere now.
      const repoRef = await findRepositoryRef(store.cache, repo);
      return repoRef ? engineAt(repoRef) : null;
    },
    async meet(repoRef) {
      await rememberRepository(store.cache, repoRef);
      return engineAt(repoRef);
    },
    parsePlan: (text, disabled, run) =>
      parsePlan(text, {
        origin: "elsewhere",
        checkPattern,
        agents: agentsFor(roster, disabled, run?.plan.stages),
      }),
    planHash: (text) => createHash("sha256").update(text).digest("hex"),
    settingsFor: (wish) => hostedSettings(env, wish),
    lookAtHarness: board.look,
    announceHarnesses: board.announce,
    slots: slotsOf(env),
    notify,
    warn,
    audit,
    now: Date.now,
  };
  const hour = createStamp(join(data, "workers", `${worker}.swept`), HOUR_MS, Date.now);
  hour.begin();
  const limits = readKeepLimits(env);
  for (const text of limits.warnings) warn(text);
  return {
    host,
    async sweepDisk() {
      if (!hour.isDue()) return;
      // First: one that takes long is not begun twice.
      hour.done();
      await sweepHostedDisk({
        ...{ data, worker, limits, now: Date.now, warn },
        async repository(repo) {
          const repoRef = await findRepositoryRef(store.cache, repo);
          if (!repoRef) return null;
          await engineAt(repoRef);
          return openAt(repoRef);
        },
      });
    },
    store,
    audit,
    worker,
    async close() {
      stop.abort();
      store.leave();
      await store.queue.close();
      try {
        await supervisor.close();
        await agents.sandboxes.close();
      } finally {
        for (const workspace of workspaces.values()) await workspace.dispose();
        await store.close();
        await release();
        audit.close();
      }
    },
  };
}

function isSamePlace(one: RepositoryRef, other: RepositoryRef): boolean {
  return (
    one.installation === other.installation &&
    one.repo.owner === other.repo.owner &&
    one.repo.name === other.repo.name
  );
}

async function createClient(github: GitHubApp): Promise<AppClient> {
  const app = await github.identity();
  return {
    app,
    async places() {
      const places: RepositoryRef[] = [];
      for (const { id, suspended } of await github.installations()) {
        if (suspended) continue;
        for (const repo of await github.repositories(id)) places.push({ installation: id, repo });
      }
      return places;
    },
    failedDeliveries: (since) => github.failedDeliveries(new Date(since)),
    redeliver: (id) => github.redeliver(id),
  };
}

/** Two processes on the same files would not see each other's jobs. */
async function lockData(data: string): Promise<FileLock> {
  const lock = await tryLock(join(data, "in-use"));
  if (lock.kind === "held")
    throw new UserError(`Another Loom (process ${lock.by.pid}) works with ${data}.`, {
      next: "Stop it, give this one a folder of its own with LOOM_DATA, or set REDIS_URL so that they can share the work.",
      exitCode: 2,
    });
  return lock;
}

/** Work trees belong to one process at a time; several on one machine take turns through the names. */
async function takeName(folder: string, env: Env): Promise<{ name: string; lock: FileLock }> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const wanted = toId(env.LOOM_WORKER || hostname()) ?? "worker";
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? wanted : `${wanted.slice(0, 55)}-${number}`;
    const lock = await tryLock(join(folder, `${name}.lock`));
    if (lock.kind === "acquired") return { name, lock };
  }
}
