import type { RunId, StageId } from "../../src/core/ids.ts";
import { eventsFor } from "../../src/core/run/action-events.ts";
import { type Action, decide, dueMerges } from "../../src/core/run/decide.ts";
import type { RunEvent } from "../../src/core/run/events.ts";
import { evolve } from "../../src/core/run/evolve/evolve.ts";
import { type Run, stageOf } from "../../src/core/run/run.ts";
import type { RunStore } from "../../src/ports/ledger-store.ts";
import { createClock } from "./clock.ts";
import type { Costs, World } from "./costs.ts";
import { createResource, type Resource } from "./resources.ts";

/** Simulated time begins here. */
const START = Date.parse("2026-01-01T00:00:00.000Z");

/** One run, as everybody would find it in the store at this moment. */
export type RunEntry = {
  readonly id: RunId;
  readonly target: Target;
  run: Run;
  /** Processes that watch its ledger, once for each attempt that they hold. */
  readonly watchers: Map<WorkerEntry, number>;
  advance: "idle" | "running" | "again";
  isShowDue: boolean;
  /** Stages that people were not shown yet. */
  unshown: number;
};

/** What a train merges into: one branch of one repository. */
export type Target = { readonly calls: Set<RunEntry>; isBusy: boolean };

export type WorkerEntry = {
  readonly cpu: Resource;
  /** Git's own bookkeeping lets one in at a time. */
  readonly mirror: Resource;
  /** How far it has read each run. */
  readonly seen: Map<RunEntry, number>;
};

type Work<T> = AsyncGenerator<number, T, void>;

/** What the parts of the simulated service share. */
export function createService(store: RunStore, world: World, costs: Costs) {
  const clock = createClock();
  const redis = createResource("Redis");
  const app = createResource("App");
  const workers: WorkerEntry[] = Array.from({ length: world.workers }, (_, n) => ({
    cpu: createResource(`CPU ${n}`),
    mirror: createResource(`mirror ${n}`),
    seen: new Map(),
  }));
  const counts = { appends: 0, conflicts: 0 };
  let turn = 0;

  const at = (): string => new Date(START + clock.now()).toISOString();

  /** Reads what is new; what comes back is how it was at the moment of reading. */
  async function* look(worker: WorkerEntry, entry: RunEntry): Work<Run> {
    yield redis.use(clock.now(), costs.redis.load);
    const { run } = entry;
    yield worker.cpu.use(clock.now(), costs.worker.load + newsOf(worker, entry));
    return run;
  }

  function newsOf(worker: WorkerEntry, entry: RunEntry): number {
    const seen = worker.seen.get(entry) ?? 0;
    const news = Math.max(0, entry.run.version - seen);
    worker.seen.set(entry, entry.run.version);
    const first = seen === 0 ? costs.worker.planEach * entry.run.stages.size : 0;
    return first + news * costs.worker.event;
  }

  /** As ledgers are written: between the look and the append anybody may come; then it looks again. */
  async function* write(
    worker: WorkerEntry,
    entry: RunEntry,
    eventsOf: (run: Run) => readonly RunEvent[] | null,
    thinkMs: (run: Run) => number = () => 0,
  ): Work<Run | null> {
    for (;;) {
      const run = yield* look(worker, entry);
      const think = thinkMs(run);
      if (think > 0) yield worker.cpu.use(clock.now(), think);
      const events = eventsOf(run);
      if (!events) return null;
      if (events.length === 0) return run;
      yield worker.cpu.use(clock.now(), costs.worker.append + events.length * costs.worker.event);
      yield redis.use(clock.now(), costs.redis.append);
      const outcome = await store.append(entry.id, run.version, events);
      if (outcome.kind === "conflict") {
        counts.conflicts += 1;
        continue;
      }
      counts.appends += 1;
      const next = evolve(run, events);
      if (!next || entry.run !== run) throw new Error(`the store let a second writer through in ${entry.id}`);
      entry.run = next;
      worker.seen.set(entry, next.version);
      tell(worker, entry);
      return next;
    }
  }

  /** Everybody who watches the run reads on, and each process that reads asks for the run to be shown. */
  function tell(writer: WorkerEntry, entry: RunEntry): void {
    const now = clock.now();
    for (const [watcher, times] of entry.watchers) {
      redis.use(now, times * 2 * costs.redis.load);
      watcher.cpu.use(now, times * costs.worker.load + newsOf(watcher, entry));
    }
    const readers = entry.watchers.size + (entry.watchers.has(writer) ? 0 : 1);
    redis.use(now, readers * costs.redis.enqueue);
  }

  /** A job is put into the queue, taken and done by the next worker. */
  async function* takeJob(): Work<WorkerEntry> {
    const worker = workers[turn++ % workers.length] as WorkerEntry;
    yield redis.use(clock.now(), costs.redis.job);
    yield worker.cpu.use(clock.now(), costs.worker.job);
    return worker;
  }

  /** Until nothing more becomes an event; what is left to do comes back. */
  async function* decideAll(worker: WorkerEntry, entry: RunEntry): Work<readonly Action[]> {
    let actions: readonly Action[] = [];
    for (let isSettled = false; !isSettled; ) {
      yield* write(
        worker,
        entry,
        (run) => {
          actions = decide(run, START + clock.now());
          const events = actions.flatMap((action) => eventsFor(entry.id, action, at()));
          isSettled = events.length === 0;
          return events;
        },
        ({ stages }) => costs.worker.decide + stages.size * costs.worker.decideEach,
      );
    }
    return actions;
  }

  return {
    clock,
    redis,
    app,
    workers,
    counts,
    at,
    look,
    write,
    takeJob,
    decideAll,
    /** The first published in front, as a train takes them. */
    due: (entry: RunEntry): { entry: RunEntry; stage: StageId; since: string }[] =>
      dueMerges(entry.run, START + clock.now()).map((stage) => ({
        entry,
        stage,
        since: stageOf(entry.run, stage).firstPublishedAt ?? "",
      })),
  };
}

export type Service = ReturnType<typeof createService>;
