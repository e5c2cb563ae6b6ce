import type { StageId } from "../../src/core/ids.ts";
import { evolve } from "../../src/core/run/evolve/evolve.ts";
import { runsInTurn } from "../../src/engine/github/recover/runs-in-turn.ts";
import type { RunStore } from "../../src/ports/ledger-store.ts";
import { grid } from "../graphs.ts";
import { createdRun, eventOf, type StageStep } from "../support/stage-life.ts";
import { type Capacity, capacities } from "./capacities.ts";
import type { Costs, World } from "./costs.ts";
import { createGitHub } from "./github.ts";
import { agentTime, isAt, openPulls } from "./of-stages.ts";
import { createResource } from "./resources.ts";
import { createService, type RunEntry, type Target, type WorkerEntry } from "./service.ts";

export type Simulated = {
  readonly stages: number;
  readonly hours: number;
  readonly stagesPerHour: number;
  readonly appends: number;
  /** Appends that another writer was faster than. */
  readonly conflicts: number;
  /** In seconds, from the moment a stage could start to the moment a worker took it. */
  readonly queueWaitP50: number;
  /** The narrowest first. */
  readonly capacities: readonly Capacity[];
};

/** The longest that a train is; see the engine's own. */
const TRAIN = 8;
const SHOW_AFTER_MS = 1500;
const SWEEP_MS = 60_000;

/**
 * A service at work, in simulated time. What is decided, when a stage may start, what is merged next, who of two writers
 * wins: that is the real `decide`, fold and store. How long each thing takes was measured or is given, so that the same costs
 * give the same story, on any machine.
 */
export async function simulate(store: RunStore, world: World, costs: Costs): Promise<Simulated> {
  const service = createService(store, world, costs);
  const { clock, workers, at, write, takeJob } = service;
  const shape = grid(world.wide, world.deep);
  const targets: Target[] = Array.from({ length: world.repositories }, () => ({
    calls: new Set(),
    isBusy: false,
  }));
  const github = createGitHub(clock, world, targets);
  const slots = createResource("agents", world.workers * world.slots);
  const trains = createResource("trains", world.repositories);
  const free: WorkerEntry[] = Array.from({ length: world.slots }, () => workers).flat();
  const startable: { entry: RunEntry; stage: StageId; since: number }[] = [];
  const waits: number[] = [];
  const asked = new Set<string>();
  let merged = 0;
  let lastMerge = 0;

  const entries: RunEntry[] = [];
  for (let n = 0; n < world.runs; n += 1) {
    const id = `run-${n}`;
    const created = createdRun(id, shape, world.wide * 2, at());
    const run = evolve(null, [created]);
    if (!run || (await store.append(id, 0, [created])).kind === "conflict") throw new Error(`no run ${id}`);
    const target = targets[n % targets.length] as Target;
    entries.push({ id, target, run, watchers: new Map(), advance: "idle", isShowDue: false, unshown: 0 });
  }
  const stages = world.runs * shape.needs.size;
  for (const entry of entries) wake(entry);
  for (const target of targets) clock.start(sweep(target), SWEEP_MS);
  await clock.run();
  if (merged !== stages) throw new Error(`${merged} of ${stages} stages were merged`);
  const hours = lastMerge / 3_600_000;
  return {
    stages,
    hours,
    stagesPerHour: stages / hours,
    ...service.counts,
    queueWaitP50: (waits.sort((a, b) => a - b)[Math.floor(waits.length / 2)] ?? 0) / 1000,
    capacities: capacities(stages, hours, {
      resources: [service.redis, service.app, slots, trains],
      workers,
      limits: github.limits,
    }),
  };

  /** While it is looked at, a second wish to look comes behind. */
  function wake(entry: RunEntry): void {
    if (entry.advance === "idle") clock.start(advance(entry));
    entry.advance = entry.advance === "idle" ? "running" : "again";
  }

  async function* advance(entry: RunEntry): AsyncGenerator<number, void, void> {
    do {
      entry.advance = "running";
      const worker = yield* takeJob();
      for (const action of yield* service.decideAll(worker, entry)) {
        if (action.kind === "start") ask(entry, action.stage);
        if (action.kind === "merge") call(entry);
        if (action.kind === "record")
          yield* write(worker, entry, ({ recorded }) =>
            recorded === null ? [{ type: "run-recorded", at: at(), commit: "c" }] : null,
          );
      }
    } while (entry.advance === ("again" as RunEntry["advance"]));
    entry.advance = "idle";
  }

  function ask(entry: RunEntry, stage: StageId): void {
    const key = `${entry.id}/${stage}`;
    if (asked.has(key)) return;
    asked.add(key);
    startable.push({ entry, stage, since: clock.now() });
    handOut();
  }

  function handOut(): void {
    while (startable.length > 0 && free.length > 0) {
      const next = startable.shift();
      const worker = free.shift();
      if (next && worker) clock.start(work(worker, next.entry, next.stage, next.since));
    }
  }

  /** One attempt, from its claim to its pull request. */
  async function* work(
    worker: WorkerEntry,
    entry: RunEntry,
    stage: StageId,
    since: number,
  ): AsyncGenerator<number, void, void> {
    const began = clock.now();
    waits.push(began - since);
    const step = (name: StageStep) =>
      write(worker, entry, (run) =>
        isAt(run, stage, name) ? [eventOf(name, { run: entry.id, stage, at: at() })] : null,
      );
    yield service.redis.use(clock.now(), costs.redis.job);
    if (!(yield* step("attempt-started"))) throw new Error(`${entry.id}/${stage} was started twice`);
    watch(entry, worker, 1);
    const asks = clock.now();
    yield github.read(entry.target, asks, world.reads);
    let waited = clock.now() - asks;
    yield worker.mirror.use(clock.now(), costs.worker.mirror);
    yield worker.cpu.use(clock.now(), costs.worker.stage / 2);
    yield* step("session-started");
    yield clock.now() + agentTime(world, entry.id, stage);
    yield* step("session-ended");
    yield* step("attempt-committed");
    yield clock.now() + world.gateMs;
    yield* step("attempt-verified");
    waited += yield* github.make(entry.target);
    watch(entry, worker, -1);
    yield* step("stage-published");
    slots.use(began, clock.now() - began - waited);
    show(entry);
    free.push(worker);
    handOut();
    wake(entry);
  }

  function watch(entry: RunEntry, worker: WorkerEntry, by: 1 | -1): void {
    const times = (entry.watchers.get(worker) ?? 0) + by;
    if (times === 0) entry.watchers.delete(worker);
    else entry.watchers.set(worker, times);
  }

  function call(entry: RunEntry): void {
    entry.target.calls.add(entry);
    if (entry.target.isBusy) return;
    entry.target.isBusy = true;
    clock.start(train(entry.target));
  }

  async function* train(target: Target): AsyncGenerator<number, void, void> {
    const worker = yield* takeJob();
    for (;;) {
      const due = [];
      for (const entry of target.calls) {
        yield* service.look(worker, entry);
        const found = service.due(entry);
        if (found.length === 0) target.calls.delete(entry);
        due.push(...found);
      }
      due.sort((a, b) => (a.since < b.since ? -1 : a.since > b.since ? 1 : 0));
      if (due.length === 0) break;
      yield* mergeTogether(target, worker, due.slice(0, TRAIN));
    }
    target.isBusy = false;
  }

  async function* mergeTogether(
    target: Target,
    worker: WorkerEntry,
    next: readonly { entry: RunEntry; stage: StageId }[],
  ): AsyncGenerator<number, void, void> {
    const began = clock.now();
    let waited = 0;
    const step = (name: StageStep, entry: RunEntry, stage: StageId) =>
      write(worker, entry, () => [eventOf(name, { run: entry.id, stage, at: at() })]);
    for (const { entry, stage } of next) yield* step("merge-claimed", entry, stage);
    yield worker.cpu.use(clock.now(), (costs.worker.stage / 2) * next.length);
    yield clock.now() + world.gateMs;
    for (const { entry, stage } of next) {
      yield* step("merge-proved", entry, stage);
      yield* step("merge-started", entry, stage);
      waited += yield* github.make(target);
      yield* step("stage-merged", entry, stage);
      merged += 1;
      lastMerge = clock.now();
      show(entry);
      wake(entry);
    }
    trains.use(began, clock.now() - began - waited);
  }

  /** What nobody told is found out once a minute; at some runs GitHub itself is asked. */
  async function* sweep(target: Target): AsyncGenerator<number, void, void> {
    while (merged < stages) {
      const live = entries.filter((entry) => entry.target === target && entry.run.status === "running");
      const turns = runsInTurn(
        live.map(({ id }) => id),
        clock.now(),
      );
      service.redis.use(clock.now(), live.length * (costs.redis.job + 3 * costs.redis.load));
      const asks = live.filter(({ id }) => turns.has(id)).map(({ run }) => 1 + openPulls(run));
      yield github.read(
        target,
        clock.now(),
        asks.reduce((sum, one) => sum + one, 0),
      );
      yield clock.now() + SWEEP_MS;
    }
  }

  /** A moment later, all that happened meanwhile at once. */
  function show(entry: RunEntry): void {
    entry.unshown += 1;
    if (entry.isShowDue) return;
    entry.isShowDue = true;
    clock.start(shown(entry), SHOW_AFTER_MS);
  }

  async function* shown(entry: RunEntry): AsyncGenerator<number, void, void> {
    entry.isShowDue = false;
    const news = entry.unshown;
    entry.unshown = 0;
    const worker = yield* takeJob();
    yield* service.look(worker, entry);
    yield service.app.use(clock.now(), (news / 2) * costs.app);
    yield service.redis.use(clock.now(), (news / 2) * costs.redis.rest);
    // Half of it when a stage is offered, half of it when it is merged.
    yield github.tell(entry.target, clock.now(), (news / 2) * world.writes);
  }
}
