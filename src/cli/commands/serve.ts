import { type HostedWorkerOptions, startHostedWorker } from "../../../workers/start-hosted-worker.ts";
import { auditInLog, openAppLog, readLogEnv } from "../../app/open-app-log.ts";
import { type AppEnv, type AppEnvReading, readAppEnv } from "../../app/read-app-env.ts";
import { setUpApp } from "../../app/setup/set-up-app.ts";
import { startAppServer } from "../../app/start-app-server.ts";
import { DEFAULTS } from "../../core/config/defaults.ts";
import { readServiceNumber } from "../../core/config/settings/service-numbers.ts";
import { settingTexts } from "../../core/config/settings/setting-texts.ts";
import { messageOf, UserError } from "../../core/errors.ts";
import { runnerLabel } from "../../core/plan/runner-label.ts";
import { secretValues } from "../../core/secrets/secret-values.ts";
import { createAuditLog } from "../../wiring/hosted/audit-log.ts";
import { type Hosted, openHosted } from "../../wiring/hosted/hosted.ts";
import type { Profile } from "../../wiring/profile.ts";
import { requireSandbox } from "../../wiring/require-sandbox.ts";
import { joinEnvFile, type ServiceEnvFile } from "../../wiring/settings/service-env-file.ts";
import { explain, type Io, say } from "../io.ts";
import { settledForService } from "../settled-io.ts";

/**
 * `loom app`: takes GitHub's webhooks, answers commands and shows progress. Without Redis it is the worker as well, since
 * then nobody else can be. It ends on SIGTERM: intake stops, agents are stopped and their work is kept.
 */
export async function app(outer: Io): Promise<number> {
  const { io, file } = await withEnvFile(outer);
  // With Redis, workers run the agents.
  const runsAgents = !io.env.REDIS_URL?.trim();
  // Before somebody registers an App for nothing.
  if (runsAgents) await assertSandbox(io);
  const env = await registered(io, file);
  if (!env) return 0;
  const capacity = readCapacity(io);
  return serve(io, env, { runsAgents }, async (hosted, log) => {
    const server = await startAppServer({
      app: env,
      intake: { intake: hosted.store.intake, appId: env.appId },
      port: env.port,
      host: env.host,
      log,
      audit: hosted.audit,
      health: async () => ({
        parts: [{ name: "store", problem: await problemOf(hosted.store.ping()) }],
      }),
    });
    // Only once it listens: a port that is taken must not leave a worker at work.
    const isAlone = hosted.store.kind === "embedded";
    const worker = startHostedWorker(hosted.host, {
      ...(isAlone ? capacity : { ...capacity, maxStages: 0, labels: [] }),
      sweepDisk: hosted.sweepDisk,
    });
    say(io, `Loom listens on http://${env.host}:${server.port} (${where(hosted)}).`);
    return async () => {
      worker.stop();
      await server.close();
    };
  });
}

/** `loom worker`: runs agents for an App that shares its Redis. */
export async function worker(outer: Io): Promise<number> {
  const { io } = await withEnvFile(outer);
  if (!io.env.REDIS_URL?.trim())
    throw new UserError("A worker needs the Redis that the App uses.", {
      next: "Set REDIS_URL, or run `loom app` alone: without Redis it runs the agents itself.",
      exitCode: 2,
    });
  const reading = readAppEnv(io.env, io.cwd);
  if (reading.kind === "unregistered")
    throw new UserError("APP_ID and PRIVATE_KEY are missing.", {
      next: "Give the worker the same settings as the App; `loom app` registers one.",
      exitCode: 2,
    });
  const env = readyOnly(reading);
  const capacity = readCapacity(io);
  await assertSandbox(io);
  return serve(io, env, { runsAgents: true }, async (hosted) => {
    const started = startHostedWorker(hosted.host, { ...capacity, sweepDisk: hosted.sweepDisk });
    say(io, `The worker ${hosted.worker} takes jobs (${where(hosted)}).`);
    return async () => started.stop();
  });
}

/** Also a line where programs read the log (T43); a person reads the sentence that the service ends with. */
async function assertSandbox(io: Io): Promise<void> {
  try {
    await requireSandbox(io.env, io.cwd);
  } catch (error) {
    const { level, format } = readLogEnv(io.env);
    if (format === "json") {
      const write = (text: string): void => void io.stderr.write(text);
      const log = await openAppLog({ level, format, secrets: secretValues(io.env), write });
      const audit = createAuditLog({ write: auditInLog(log), redact: (text) => text });
      audit.refused({ boundary: "service", rule: "no-sandbox", what: messageOf(error) });
    }
    throw error;
  }
}

async function withEnvFile(outer: Io): Promise<{ io: Io; file: ServiceEnvFile }> {
  const { env, file } = await joinEnvFile(outer.env, outer.cwd);
  for (const text of file.warnings) explain(outer, text, null);
  return { io: await settledForService({ ...outer, env }), file };
}

type Start = (hosted: Hosted, log: Awaited<ReturnType<typeof openAppLog>>) => Promise<() => Promise<void>>;

async function serve(
  io: Io,
  env: AppEnv,
  { runsAgents }: { readonly runsAgents: boolean },
  start: Start,
): Promise<number> {
  const log = await openAppLog({
    ...readLogEnv(io.env),
    secrets: [env.privateKey, ...env.previousKeys, env.webhookSecret, ...secretValues(io.env)],
    write: (text) => void io.stderr.write(text),
  });
  const patienceMs = 1000 * (readServiceNumber(io.env, "LOOM_LEASE_SECS") ?? DEFAULTS.service.leaseSecs);
  const stopped = untilStopped();
  const profile = io.env.LOOM_PROFILE
    ? await (await import("../../wiring/profile.ts")).openProfile(io.env, io.cwd)
    : null;
  const opened = await openHosted({
    env: io.env,
    cwd: io.cwd,
    app: env,
    patienceMs,
    runsAgents,
    warn: (message, error) => log.warn(error === undefined ? message : `${message}: ${messageOf(error)}`),
    writeAudit: auditInLog(log),
  });
  const hosted = profile ? watchedBy(profile, opened) : opened;
  try {
    const stop = await start(hosted, log);
    await stopped;
    say(io, "Stopping: no new work is taken, and what runs is put down safely.");
    await stop();
  } finally {
    await hosted.close();
    if (profile) say(io, await profile.close());
    // Everything is put down by now. A connection that BullMQ failed to close, as happens when Redis was away a moment
    // ago, must not keep the process until its supervisor kills it.
    setTimeout(() => process.exit(), 1000).unref();
  }
  return 0;
}

function watchedBy(profile: Profile, hosted: Hosted): Hosted {
  return { ...hosted, host: { ...hosted.host, queue: profile.watchJobs(hosted.host.queue) } };
}

/** The App's settings; when there is no App yet, a page lets the operator register one, and its key is kept in a file. */
async function registered(io: Io, file: ServiceEnvFile): Promise<AppEnv | null> {
  const reading = readAppEnv(io.env, io.cwd);
  if (reading.kind !== "unregistered") return readyOnly(reading);
  // The next start would not find it there.
  if (file.refusal !== null)
    throw new UserError(settingTexts.keyCannotBeKept(file.path, file.refusal), {
      next: settingTexts.chooseServiceFile(),
      exitCode: 2,
    });
  const log = await openAppLog({
    ...readLogEnv(io.env),
    secrets: [],
    write: (text) => void io.stderr.write(text),
  });
  const setUp = await setUpApp({ server: reading.env, env: io.env, envFile: file.path, log });
  say(io, setUp.sentence);
  try {
    const saved = await Promise.race([setUp.registered, untilStopped()]);
    return saved ? readyOnly(readAppEnv({ ...io.env, ...saved }, io.cwd)) : null;
  } finally {
    await setUp.close();
  }
}

function readyOnly(reading: AppEnvReading): AppEnv {
  if (reading.kind === "ready") return reading.env;
  const problems = reading.kind === "problems" ? reading.problems : ["APP_ID is missing."];
  throw new UserError(problems.join("\n"), { exitCode: 2 });
}

function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve());
  });
}

async function problemOf(check: Promise<void>): Promise<string | null> {
  try {
    await check;
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

function where({ store }: Hosted): string {
  return store.kind === "redis"
    ? "jobs and ledgers in Redis"
    : "jobs and ledgers in files, agents in this process";
}

/** Read before anything is started: what is wrong with them is said at once. */
function readCapacity(io: Io): HostedWorkerOptions {
  const { concurrency, sweepSecs } = DEFAULTS.service;
  return {
    maxStages: readServiceNumber(io.env, "LOOM_CONCURRENCY") ?? concurrency,
    labels: labels(io),
    sweepMs: 1000 * (readServiceNumber(io.env, "LOOM_SWEEP_SECS") ?? sweepSecs),
  };
}

/** LOOM_LABELS: for stages that ask for a runner with `runs_on`. */
function labels(io: Io): string[] {
  const names = (io.env.LOOM_LABELS ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  return names.map((name) => {
    const label = runnerLabel(name);
    if (label !== null) return label;
    throw new UserError(`LOOM_LABELS holds "${name}".`, {
      next: "Labels have small letters, digits and hyphens, such as gpu or linux-arm.",
      exitCode: 2,
    });
  });
}
