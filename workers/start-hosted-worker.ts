import { assertNever, ForgedRecord, messageOf, needsPerson } from "../src/core/errors.ts";
import { auditTexts } from "../src/core/report/audit/audit-texts.ts";
import type { TaskId } from "../src/core/task/task.ts";
import { giveUpOnDelivery } from "../src/engine/github/delivery/give-up-on-delivery.ts";
import { loseAccess } from "../src/engine/github/delivery/handle-installation.ts";
import type { Host, RepoEngine } from "../src/engine/github/host.ts";
import { observePendingChange } from "../src/engine/github/observe/pending-changes.ts";
import { ensureIntact } from "../src/engine/github/recover/ensure-intact.ts";
import { sweep } from "../src/engine/github/recover/sweep.ts";
import { announceLabels } from "../src/engine/github/show/unserved-labels.ts";
import { takeSlot } from "../src/engine/github/take-slot.ts";
import { giveUpOnTask } from "../src/engine/github/task/give-up-on-task.ts";
import { sendTask } from "../src/engine/github/task/send-task.ts";
import { giveUpOnTrain } from "../src/engine/github/train/give-up-on-train.ts";
import { leaveToTrain } from "../src/engine/github/train/leave-to-train.ts";
import { giveUpOnJob } from "../src/engine/run/give-up-on-job.ts";
import { AccessLost } from "../src/ports/github/access-lost.ts";
import type { Job } from "../src/ports/job-queue.ts";
import { advance } from "./advance.ts";
import { delivery } from "./delivery.ts";
import { merge } from "./merge.ts";
import { notify } from "./notify.ts";
import { observe } from "./observe.ts";
import { show } from "./show.ts";
import { stage } from "./stage.ts";
import { task } from "./task.ts";
import { train } from "./train.ts";

export type HostedWorkerOptions = {
  /** How many agents run at a time on this machine; 0: this process answers and shows, and runs none. */
  readonly maxStages: number;
  readonly labels: readonly string[];
  readonly sweepMs?: number;
  /** Looks after this machine's disk, as often as that is worth it. */
  readonly sweepDisk?: () => Promise<void>;
};

const SWEEP_MS = 60_000;
const ANNOUNCE_MS = 240_000;

/** Starts taking jobs and looks for lost ones every minute. Resolves the first look, so that a restart goes on at once. */
export function startHostedWorker(host: Host, options: HostedWorkerOptions): { stop(): void } {
  const { maxStages, labels, sweepMs = SWEEP_MS } = options;
  const light = { delivery: 4, advance: 4, observe: 2, show: 2, notify: 2, sweep: 1 };
  host.queue.process((job, signal) => handle(host, job, signal), {
    concurrency: maxStages > 0 ? { ...light, stage: maxStages, task: maxStages, merge: 2, train: 2 } : light,
    attempts: 3,
    labels,
    onGivenUp: (job, error) => giveUp(host, job, error),
  });
  const served = maxStages > 0 ? labels : [];
  const sweepDisk = (): void =>
    void options.sweepDisk?.().catch((error) => host.warn("the disk could not be swept", error));
  const look = (): void => {
    sweepDisk();
    void announceLabels(host, served, sweepMs)
      .then(() => host.queue.enqueue({ kind: "sweep" }))
      .catch((error) => host.warn("the sweep could not be asked for", error));
  };
  const announce = (): void =>
    void host.announceHarnesses().catch((error) => host.warn("the agents could not be looked at", error));
  look();
  if (maxStages > 0) announce();
  const announcing = maxStages > 0 ? setInterval(announce, ANNOUNCE_MS) : null;
  const timer = setInterval(look, sweepMs);
  return {
    stop() {
      clearInterval(timer);
      if (announcing) clearInterval(announcing);
    },
  };
}

async function handle(host: Host, job: Job, signal: AbortSignal): Promise<void> {
  if (job.kind === "delivery") return delivery(host, job, signal);
  if (job.kind === "sweep") return sweep(host);
  const engine = job.repo === undefined ? null : await host.repository(job.repo);
  // A job for a repository that nobody has heard of is not from Loom, or from before everything was lost (T22).
  if (!engine) {
    const what = auditTexts.jobOfNobody(job.kind);
    return host.audit.refused({ boundary: "job", rule: "unknown-repository", ...aboutJob(job), what });
  }
  try {
    await ensureIntact(host, engine);
    await handleRunJob(host, engine, job, signal);
  } catch (error) {
    // Trying again would only read the same; whoever keeps the ledgers has told the operator.
    if (error instanceof ForgedRecord) return;
    if (!(error instanceof AccessLost)) throw error;
    host.warn(`a ${job.kind} job of ${engine.repo} was dropped: ${error.message}`);
    await loseAccess(engine, error);
  }
}

function aboutJob(job: Exclude<Job, { kind: "delivery" | "sweep" }>): { run?: string; repo?: string } {
  const repo = job.repo === undefined ? {} : { repo: job.repo };
  if (job.kind === "train") return repo;
  return { ...repo, run: job.kind === "task" ? job.task : job.run };
}

async function handleRunJob(
  host: Host,
  engine: RepoEngine,
  job: Exclude<Job, { kind: "delivery" | "sweep" }>,
  signal: AbortSignal,
): Promise<void> {
  switch (job.kind) {
    case "advance":
      return advance(engine, job);
    case "stage":
      return seated(host, engine, job, () => stage(engine, job, signal));
    case "task":
      return seated(host, engine, job, () => task(host, engine, job, signal));
    case "merge":
      if (await leaveToTrain(engine, job)) return;
      await merge(engine, job, signal);
      return observePendingChange(engine, job.run);
    case "train":
      return train(engine, job, signal);
    case "observe":
      return observe(host, engine, job);
    case "show":
      return show(engine, job);
    case "notify":
      return notify(host, engine, job);
    default:
      return assertNever(job);
  }
}

const SLOT_RETRY_MS = 2_000;

/** One installation must not take all workers from the others: without a free slot, the work comes up again soon. */
async function seated(
  host: Host,
  engine: RepoEngine,
  job: Extract<Job, { kind: "stage" | "task" }>,
  work: () => Promise<void>,
): Promise<void> {
  if (host.slots === null) return work();
  const slot = await takeSlot(host.leases, engine.repoRef.installation, host.slots);
  if (!slot) {
    if (job.kind === "task") return comeBack(engine, job.task);
    return engine.queue.enqueue(
      { kind: "advance", repo: engine.repo, run: job.run },
      { delayMs: SLOT_RETRY_MS },
    );
  }
  try {
    await work();
  } finally {
    await slot.release();
  }
}

/** For a worker that runs what the task asks for, as when it was first sent. */
async function comeBack(engine: RepoEngine, id: TaskId): Promise<void> {
  const known = await engine.tasks.load(id);
  if (known) await sendTask(engine, known, SLOT_RETRY_MS);
}

/** What failed every time: a stage is blocked, a person is told, and the rest is left to the next sweep. */
async function giveUp(host: Host, job: Job, error: unknown): Promise<void> {
  host.warn(`gave up on a ${job.kind} job: ${messageOf(error)}`, error);
  try {
    if (job.kind === "delivery") return await giveUpOnDelivery(host, job.delivery);
    if (job.kind !== "stage" && job.kind !== "merge" && job.kind !== "train" && job.kind !== "task") return;
    const engine = job.repo === undefined ? null : await host.repository(job.repo);
    if (engine && job.kind === "train") return await giveUpOnTrain(engine, job.target);
    if (job.kind === "train") return;
    if (engine && job.kind === "task") return await giveUpOnTask(host, engine, job.task, error);
    if (job.kind === "task" || !engine || (await mayTryLater(engine, job, error))) return;
    await giveUpOnJob(engine, job, error);
  } catch (second) {
    host.warn(`failed to write that down: ${messageOf(second)}`, second);
  }
}

const TRIES = 10;
const TRY_WITHIN_MS = 3_600_000;

/**
 * A stage that nobody could even begin, because GitHub or git was out of reach for a while, needs no person: the next sweep
 * brings it back. Only what fails that often is more than an outage.
 */
async function mayTryLater(
  engine: RepoEngine,
  job: Extract<Job, { kind: "stage" | "merge" }>,
  error: unknown,
): Promise<boolean> {
  if (job.kind !== "stage" || needsPerson(error)) return false;
  const run = await engine.runs.load(job.run);
  if (run?.stages.get(job.stage)?.state.kind !== "queued") return false;
  const key = `given-up/${job.run}/${job.stage}/${job.attempt}`;
  const times = Number((await engine.cache.get(key)) ?? "0") + 1;
  await engine.cache.set(key, String(times), { ttlMs: TRY_WITHIN_MS });
  return times < TRIES;
}
