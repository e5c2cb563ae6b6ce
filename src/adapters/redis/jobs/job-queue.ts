import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { ErrorCode, type JobsOptions, Queue } from "bullmq";
import type { Redis } from "ioredis";
import * as z from "zod";
import { InternalError, messageOf } from "../../../core/errors.ts";
import { isId } from "../../../core/ids.ts";
import { type Job, type JobQueue, jobKey } from "../../../ports/job-queue.ts";
import { isWorkerConnection } from "../connect-redis.ts";
import { explainRedis } from "../explain-redis.ts";
import { createPlaces } from "../places.ts";
import { createAnnounced } from "./announced.ts";
import { jobSchema } from "./job-schema.ts";
import { createJobTimers } from "./job-timers.ts";
import { type JobWorker, startJobWorker } from "./job-worker.ts";
import { queueName, queuePrefix } from "./queue-names.ts";

/**
 * Jobs for any number of processes, in BullMQ queues: one per kind and label.
 *
 * Equal jobs are one by BullMQ's deduplication; with `keepLastIfActive` one that comes while its equal is worked on is
 * put into the queue, once, in the same step that ends that work. Ids of jobs are random, because BullMQ ignores an id
 * that it knows in whichever state. Delays are kept in job-timers. An equal job with another label counts as another.
 */
export type RedisJobQueueOptions = {
  /** With the role `producer` it can only be enqueued to. */
  readonly redis: Redis;
  /** Separates queues that share a Redis. */
  readonly name?: string;
  /** Whose announced deliveries become jobs here. */
  readonly inbox?: string;
  /** For so long a worker that is not heard of keeps its job. */
  readonly lockMs?: number;
  readonly onWarning?: (message: string) => void;
  /** Told of jobs that Loom did not write (T22); `onWarning` when absent. */
  readonly onDropped?: (what: string) => void;
  readonly time?: { readonly now?: () => number; readonly timersEveryMs?: number };
};

const LOCK_MS = 3 * 60 * 1000;
const TIMERS_EVERY_MS = 500;
const LOOK_EVERY_MS = 20;
const OPEN_WITHIN_MS = 1000;

const timerSchema = z.tuple([z.string().refine(isId, "not a label").nullable(), jobSchema]);
const COMMON: JobsOptions = {
  // Who gives up, and when, is decided by the worker.
  attempts: 1_000_000,
  backoff: { type: "custom" },
  removeOnComplete: true,
  removeOnFail: true,
  stackTraceLimit: 0,
};

export function createRedisJobQueue(setup: RedisJobQueueOptions): JobQueue {
  const { redis, name = "loom", lockMs = LOCK_MS, onWarning = () => {}, time = {} } = setup;
  const { onDropped = onWarning } = setup;
  const prefix = queuePrefix(name);
  const known = `${prefix}:queues`;
  const timers = createJobTimers({
    redis,
    key: `${prefix}:timers`,
    ...(time.now === undefined ? {} : { now: time.now }),
  });
  const announced =
    setup.inbox === undefined ? null : createAnnounced({ redis, inbox: setup.inbox, onWarning });
  const queues = new Map<string, Promise<Queue>>();
  let workers: JobWorker[] | null = null;
  let stopTimers = async (): Promise<void> => {};
  let closing: Promise<void> | null = null;

  function queueOf(queue: string): Promise<Queue> {
    const found = queues.get(queue);
    if (found !== undefined) return found;
    const opening = openQueue(queue);
    queues.set(queue, opening);
    // One that failed to open would fail for ever.
    opening.catch(() => queues.delete(queue));
    return opening;
  }

  async function openQueue(queue: string): Promise<Queue> {
    // Fails at once for a producer without Redis, where BullMQ would wait.
    await redis.sadd(known, queue);
    // Nobody reads BullMQ's events; a few are kept for who looks with its tools.
    const opened = new Queue(queue, { connection: redis, prefix, streams: { events: { maxLen: 100 } } });
    opened.on("error", (error) => onWarning(`Queue ${queue}: ${messageOf(error)}`));
    const opening = opened.waitUntilReady();
    try {
      await (isWorkerConnection(redis) ? opening : Promise.race([opening, failAfter(OPEN_WITHIN_MS)]));
      return opened;
    } catch (error) {
      opened.close().catch(() => {});
      throw error;
    }
  }

  async function add(job: Job, name: string): Promise<void> {
    const queue = await queueOf(name);
    const jobId = randomUUID();
    const deduplication = { id: jobKey(job), keepLastIfActive: true };
    const added = await queue.add(job.kind, job, { ...COMMON, jobId, deduplication });
    // Its equal may wait for its next attempt. If it is no longer there, it has been taken since, and that will do.
    if (added.id !== jobId) await added.promote().catch(ignoreGone);
  }

  async function delay(job: Job, name: string, timer: string, delayMs: number): Promise<void> {
    const queue = await queueOf(name);
    const equal = await queue.getDeduplicationJobId(jobKey(job));
    if (equal !== null && (await queue.getJobState(equal)) === "waiting") return;
    await timers.set(timer, delayMs);
  }

  async function fireTimers(): Promise<void> {
    await timers.fire(async (entry) => {
      const parsed = timerSchema.safeParse(parseJson(entry));
      if (parsed.success) return add(parsed.data[1], queueName(parsed.data[1].kind, parsed.data[0]));
      onDropped(`Dropped a delayed job: ${z.prettifyError(parsed.error)}`);
    });
  }

  async function addAnnounced(id: string): Promise<void> {
    const parsed = jobSchema.safeParse({ kind: "delivery", delivery: id });
    if (parsed.success) return add(parsed.data, queueName(parsed.data.kind, null));
    onDropped(`Dropped an announced delivery: ${z.prettifyError(parsed.error)}`);
  }

  function startTimers(): () => Promise<void> {
    const ending = new AbortController();
    const loop = async (): Promise<void> => {
      while (!ending.signal.aborted) {
        await fireTimers().catch((error) => onWarning(`Delayed jobs: ${messageOf(error)}`));
        await pause(time.timersEveryMs ?? TIMERS_EVERY_MS, null, { signal: ending.signal }).catch(() => {});
      }
    };
    const ended = loop();
    return () => {
      ending.abort();
      // Without Redis the look at the timers that is under way would not end.
      return Promise.race([ended, pause(1000, undefined, { ref: false })]);
    };
  }

  async function isIdle(): Promise<boolean> {
    if (workers?.some((worker) => worker.active() > 0)) return false;
    if ((await timers.count()) > 0 || (await announced?.count())) return false;
    for (const queue of new Set([...(await redis.smembers(known)), ...queues.keys()])) {
      const counts = await (await queueOf(queue)).getJobCounts("wait", "active", "delayed", "prioritized");
      if (Object.values(counts).some((count) => count > 0)) return false;
    }
    return true;
  }

  async function shutDown(): Promise<void> {
    await Promise.all([stopTimers(), announced?.close(), ...(workers ?? []).map((worker) => worker.close())]);
    const closed = Array.from(queues.values(), (opening) =>
      opening.then((queue) => queue.close()).catch(() => {}),
    );
    // Without Redis one that is just being opened would not close.
    await Promise.race([Promise.all(closed), pause(1000, undefined, { ref: false })]);
  }

  return {
    async enqueue(job, { delayMs = 0, label = null } = {}) {
      const queue = queueName(job.kind, label);
      if (closing !== null) return;
      const timer = JSON.stringify([label, inOrder(job)]);
      const put = async (): Promise<void> => {
        if (delayMs > 0) return delay(job, queue, timer, delayMs);
        await add(job, queue);
        // Not waited for, because webhooks are answered behind this: the connection keeps the order, so whatever is asked
        // next comes after it, and a timer that stays wakes once more than needed.
        timers.cancel(timer).catch(() => {});
      };
      await explainRedis(`enqueue ${jobKey(job)}`, put());
    },

    process(handler, options) {
      if (workers !== null) throw new InternalError("the queue has a handler already");
      if (!isWorkerConnection(redis)) throw new InternalError("a producer's connection takes no jobs");
      const labels = [null, ...new Set(options.labels ?? [])];
      workers = Object.entries(options.concurrency).flatMap(([key, concurrency]) => {
        const kind = key as Job["kind"];
        if (concurrency < 1) return [];
        const places = createPlaces(concurrency);
        return labels.map((label) => {
          const queue = queueName(kind, label);
          const common = { redis, prefix, lockMs, onWarning, onDropped, places, handler, options };
          return startJobWorker({ ...common, queue, kind, concurrency });
        });
      });
      stopTimers = startTimers();
      if ((options.concurrency.delivery ?? 0) > 0) announced?.handOver(addAnnounced);
    },

    async idle() {
      while (closing === null && !(await isIdle())) await pause(LOOK_EVERY_MS);
    },

    close() {
      closing ??= Promise.resolve().then(shutDown);
      return closing;
    },
  };
}

/** Equal jobs give equal texts, in whichever order their properties were written. */
function inOrder(job: Job): Job {
  return Object.fromEntries(Object.entries(job).sort(([a], [b]) => (a < b ? -1 : 1))) as Job;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function ignoreGone(error: unknown): void {
  const code = (error as { readonly code?: unknown }).code;
  if (code !== ErrorCode.JobNotInState && code !== ErrorCode.JobNotExist) throw error;
}

async function failAfter(ms: number): Promise<never> {
  await pause(ms, undefined, { ref: false });
  throw new Error(`no answer within ${ms} ms`);
}
