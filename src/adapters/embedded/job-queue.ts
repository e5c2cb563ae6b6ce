import { InternalError } from "../../core/errors.ts";
import type { Millis } from "../../core/ids.ts";
import {
  type Job,
  type JobHandler,
  type JobQueue,
  jobKey,
  type ProcessOptions,
} from "../../ports/job-queue.ts";

/**
 * A queue inside one process. It keeps nothing: jobs carry ids only, and what is due can be read from the ledgers.
 *
 * A key has at most one entry, which is delayed, waiting or active; that alone makes equal jobs one and keeps them from
 * overlapping. What arrives for an active entry is remembered in it as `again`. A job whose kind or label nobody serves
 * waits, since another process would not see it anyway.
 */
export type QueueTime = {
  readonly now?: () => Millis;
  /** Calls `fire` once after `ms`, unless the returned function is called before. */
  readonly setTimer?: (fire: () => void, ms: number) => () => void;
};

type Entry = {
  readonly key: string;
  readonly job: Job;
  readonly label: string | null;
  /** How often the handler has thrown in a row. */
  failures: number;
  state: Delayed | { readonly kind: "waiting" } | Active;
};
type Delayed = { readonly kind: "delayed"; readonly due: Millis; readonly cancelTimer: () => void };
type Active = { readonly kind: "active"; readonly abort: AbortController; again: Millis | null };

type Consumer = { readonly handler: JobHandler; readonly options: ProcessOptions };

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 10_000;
// A longer timer fires at once.
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export function createEmbeddedJobQueue(time: QueueTime = {}): JobQueue {
  // Not the wall clock: it may jump.
  const now = time.now ?? (() => performance.now());
  const setTimer = time.setTimer ?? startTimer;
  const entries = new Map<string, Entry>();
  /** By kind, in the order in which they are to be worked on. */
  const waiting = new Map<Job["kind"], Set<Entry>>();
  const active = new Map<Job["kind"], Set<Promise<void>>>();
  let idlers: (() => void)[] = [];
  let consumer: Consumer | null = null;
  let closing: Promise<void> | null = null;

  function schedule(entry: Entry, due: Millis): void {
    const ms = due - now();
    if (ms > 0) {
      const cancelTimer = setTimer(() => schedule(entry, due), Math.min(Math.ceil(ms), LONGEST_TIMER_MS));
      entry.state = { kind: "delayed", due, cancelTimer };
      return;
    }
    entry.state = { kind: "waiting" };
    setOf(waiting, entry.job.kind).add(entry);
    handOut(entry.job.kind);
  }

  function handOut(kind: Job["kind"]): void {
    if (consumer === null || closing !== null) return;
    const { concurrency, labels = [] } = consumer.options;
    const works = setOf(active, kind);
    for (const entry of setOf(waiting, kind)) {
      if (works.size >= (concurrency[kind] ?? 0)) return;
      if (entry.label !== null && !labels.includes(entry.label)) continue;
      setOf(waiting, kind).delete(entry);
      const work = workOn(entry, consumer).finally(() => {
        works.delete(work);
        handOut(kind);
        settle();
      });
      works.add(work);
    }
  }

  async function workOn(entry: Entry, { handler, options }: Consumer): Promise<void> {
    const state: Active = { kind: "active", abort: new AbortController(), again: null };
    entry.state = state;
    const retryDue = await attempt(entry, state.abort.signal, handler, options);
    const dues = [state.again, retryDue].filter((due) => due !== null);
    if (closing !== null || dues.length === 0) entries.delete(entry.key);
    else schedule(entry, Math.min(...dues));
  }

  /** Resolves with the time of the next attempt, or null when none is needed. Never rejects. */
  async function attempt(
    entry: Entry,
    signal: AbortSignal,
    handler: JobHandler,
    options: ProcessOptions,
  ): Promise<Millis | null> {
    // A handler may enqueue at once; by then this job has to be counted as active.
    await Promise.resolve();
    if (closing !== null) return null;
    try {
      await handler(entry.job, signal);
    } catch (error) {
      if (closing !== null) return null;
      entry.failures += 1;
      if (entry.failures < options.attempts) return now() + retryDelay(entry.failures);
      try {
        await options.onGivenUp(entry.job, error);
      } catch {
        // Nobody knows yet that the job was given up, so it may not vanish.
        return now() + retryDelay(entry.failures);
      }
    }
    entry.failures = 0;
    return null;
  }

  function settle(): void {
    if (entries.size > 0) return;
    for (const resolve of idlers) resolve();
    idlers = [];
  }

  async function shutDown(): Promise<void> {
    for (const entry of entries.values()) {
      if (entry.state.kind === "active") {
        entry.state.abort.abort();
        continue;
      }
      if (entry.state.kind === "delayed") entry.state.cancelTimer();
      entries.delete(entry.key);
    }
    waiting.clear();
    await Promise.all(Array.from(active.values()).flatMap((set) => [...set]));
    settle();
  }

  return {
    async enqueue(job, { delayMs = 0, label = null } = {}) {
      if (closing !== null) return;
      const due = now() + delayMs;
      const key = jobKey(job);
      const entry = entries.get(key);
      if (entry === undefined) {
        const added: Entry = { key, job, label, failures: 0, state: { kind: "waiting" } };
        entries.set(key, added);
        schedule(added, due);
      } else if (entry.state.kind === "active") {
        entry.state.again = Math.min(due, entry.state.again ?? due);
      } else if (entry.state.kind === "delayed" && due < entry.state.due) {
        entry.state.cancelTimer();
        schedule(entry, due);
      }
    },

    process(handler, options) {
      if (consumer !== null) throw new InternalError("the queue has a handler already");
      consumer = { handler, options };
      for (const kind of waiting.keys()) handOut(kind);
    },

    idle: () =>
      new Promise((resolve) => {
        idlers.push(resolve);
        settle();
      }),

    close() {
      closing ??= Promise.resolve().then(shutDown);
      return closing;
    },
  };
}

function setOf<T>(sets: Map<Job["kind"], Set<T>>, kind: Job["kind"]): Set<T> {
  const set = sets.get(kind) ?? new Set<T>();
  sets.set(kind, set);
  return set;
}

function retryDelay(failures: number): Millis {
  return Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), LAST_RETRY_MS);
}

function startTimer(fire: () => void, ms: number): () => void {
  const timer = setTimeout(fire, ms);
  return () => clearTimeout(timer);
}
