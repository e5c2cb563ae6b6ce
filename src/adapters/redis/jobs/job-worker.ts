import { setTimeout as pause } from "node:timers/promises";
import { type Job as QueuedJob, WaitingError, Worker } from "bullmq";
import type { Redis } from "ioredis";
import * as z from "zod";
import { messageOf } from "../../../core/errors.ts";
import { type Job, type JobHandler, type ProcessOptions, WorkerKilled } from "../../../ports/job-queue.ts";
import type { Places } from "../places.ts";
import { discardUnreadable } from "./discard-unreadable.ts";
import { createHold, type Hold } from "./job-hold.ts";
import { jobSchema } from "./job-schema.ts";

/**
 * Takes the jobs of one queue.
 *
 * BullMQ's own counting of attempts and stalls is switched off: it marks a job as failed and tells nobody who outlives
 * the moment. Here giving up happens while the job is held, so a crash in the middle of it leaves the job to be given up
 * by another worker.
 *
 * A lock is lost in two ways. Redis says so when it is to be renewed; or nothing is heard from Redis for as long as a
 * lock lasts, also because this process stood still. Either way another worker may have the job by now, so the handler's
 * signal is aborted, and how it ends no longer matters. What it still does meets the ledger, which refuses it.
 */
export type JobWorker = {
  /** How many handlers, or calls of `onGivenUp`, are running. */
  active(): number;
  close(): Promise<void>;
};

export type JobWorkerOptions = {
  readonly redis: Redis;
  readonly prefix: string;
  readonly queue: string;
  readonly kind: Job["kind"];
  readonly concurrency: number;
  /** Shared by all queues of the kind. */
  readonly places: Places;
  readonly handler: JobHandler;
  readonly options: ProcessOptions;
  readonly lockMs: number;
  readonly onWarning: (message: string) => void;
  /** A job that Loom did not write (T22). */
  readonly onDropped: (what: string) => void;
};

/** So many workers may die of a job (F31). */
const MAX_STALLS = 3;
const UNLIMITED = 1_000_000;
const LONGEST_STALL_CHECK_MS = 30_000;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 10_000;
const CLOSE_WITHIN_MS = 5000;

export function startJobWorker(setup: JobWorkerOptions): JobWorker {
  const { options, lockMs, onWarning, onDropped, queue, places } = setup;
  const held = new Set<Hold>();
  let closing: Promise<void> | null = null;

  async function take(queued: QueuedJob, token?: string): Promise<void> {
    const putBack = async (): Promise<never> => {
      await queued.moveToWait(token);
      throw new WaitingError();
    };
    const earlier = heldAs(queued.id);
    // It lost its lock, but has not ended yet; and with its end BullMQ stops renewing ours, too.
    if (earlier.length > 0) await Promise.all(earlier.map((hold) => hold.ended));
    if (closing !== null || earlier.length > 0 || !places.take()) return putBack();
    try {
      const job = jobIn(queued);
      const outcome = job === null ? "done" : await workOn(job, queued);
      if (outcome === "interrupted") return await putBack();
      // Told without the reason: what handlers throw may hold secrets, and Redis keeps it.
      if (outcome === "failed") throw new Error("the handler failed");
    } finally {
      places.leave();
    }
  }

  const heldAs = (id: string | undefined): Hold[] => [...held].filter((hold) => hold.id === id);

  async function workOn(job: Job, queued: QueuedJob): Promise<"done" | "failed" | "interrupted"> {
    const isPoison = queued.stalledCounter >= MAX_STALLS;
    const hold = createHold(queued.id, lockMs);
    held.add(hold);
    try {
      if (isPoison) throw new WorkerKilled(queued.stalledCounter);
      await setup.handler(job, hold.signal);
      return "done";
    } catch (error) {
      if (hold.lost()) return "failed";
      if (closing !== null) return "interrupted";
      if (!isPoison && queued.attemptsMade + 1 < options.attempts) return "failed";
      return await options.onGivenUp(job, error).then(
        () => "done" as const,
        // Nobody knows yet that the job was given up, so it may not vanish.
        () => "failed" as const,
      );
    } finally {
      held.delete(hold);
      hold.end();
    }
  }

  /** null, and a warning, for what is no job of this queue: it is dropped. */
  function jobIn({ id, data }: QueuedJob): Job | null {
    const parsed = jobSchema.safeParse(data);
    if (parsed.success && parsed.data.kind === setup.kind) return parsed.data;
    const reason = parsed.success ? `it is of kind ${parsed.data.kind}` : z.prettifyError(parsed.error);
    onDropped(`Dropped job ${id} of queue ${queue}: ${reason}`);
    return null;
  }

  async function discard(): Promise<void> {
    const ids = await discardUnreadable(setup.redis, `${setup.prefix}:${queue}`).catch(() => []);
    for (const id of ids) onDropped(`Dropped job ${id} of queue ${queue}: it can't be read`);
  }

  const worker = new Worker(queue, take, {
    connection: setup.redis,
    prefix: setup.prefix,
    concurrency: setup.concurrency,
    lockDuration: lockMs,
    stalledInterval: Math.min(lockMs / 2, LONGEST_STALL_CHECK_MS),
    maxStalledCount: UNLIMITED,
    runRetryDelay: 1000,
    removeOnComplete: { count: 0 },
    removeOnFail: { count: 0 },
    settings: { backoffStrategy: (attempts) => retryDelay(attempts) },
  });
  worker.on("error", (error) => {
    onWarning(`Queue ${queue}: ${messageOf(error)}`);
    if (error instanceof SyntaxError) void discard();
  });
  worker.on("lockRenewalFailed", (ids: string[]) => {
    for (const hold of ids.flatMap(heldAs)) hold.lose();
  });
  worker.on("locksRenewed", ({ jobIds }: { jobIds: string[] }) => {
    for (const hold of jobIds.flatMap(heldAs)) hold.renew();
  });
  places.join(worker);

  async function shutDown(): Promise<void> {
    for (const hold of held) hold.stop();
    // Without Redis, BullMQ would wait for the end of a connection that is not there, and its timers would not end either.
    const closed = worker.close(setup.redis.status !== "ready");
    // While handlers run their locks are renewed. Once they have ended only Redis can keep us waiting.
    while (held.size > 0) await Promise.all(Array.from(held, (hold) => hold.ended));
    await Promise.race([closed, pause(CLOSE_WITHIN_MS, undefined, { ref: false })]);
  }

  return {
    active: () => held.size,
    close() {
      closing ??= Promise.resolve().then(shutDown);
      return closing;
    },
  };
}

function retryDelay(attempts: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), LAST_RETRY_MS);
}
