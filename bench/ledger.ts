import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { createRawRedisRunStore } from "../src/adapters/redis/ledger/run-store.ts";
import type { RunEvent } from "../src/core/run/events.ts";
import { evolve } from "../src/core/run/evolve/evolve.ts";
import { createRunLedgers, type RunLedgers } from "../src/engine/run/run-ledgers.ts";
import type { RunStore } from "../src/ports/ledger-store.ts";
import { rawFiles } from "../src/wiring/stores/seals.ts";
import { grid } from "./graphs.ts";
import { median } from "./measure.ts";
import type { Measurement, Result } from "./result.ts";
import { sealedRuns } from "./support/ledger-store.ts";
import { openRedis } from "./support/open-redis.ts";
import { memoryOf } from "./support/redis-memory.ts";
import { livesOf } from "./support/stage-life.ts";

type Say = (text: string) => void;

/** Events in a run; eleven of them are a stage, so that stages grow with them. */
const SIZES = [10, 100, 1_000, 5_000] as const;
const SHAPE = grid(10, 46);
const RUN = "bench-1";
const AT = "2026-01-01T00:00:00.000Z";
const WRITES = 40;
const TURNS = 7;

/** In microseconds of this process's CPU, the least disturbed turn of several. */
type Costs = {
  readonly events: number;
  /** Read what is new, fold it, and append one event. */
  readonly append: number;
  /** What each other process that watches the run pays for the same event. */
  readonly follow: number;
  /** To read all of it in a process that knows nothing yet: for each event. */
  readonly readEach: number;
};

/** What a ledger costs as it grows: an append must not pay for what is there already. */
export async function benchLedger(say: Say): Promise<Measurement[]> {
  const folder = mkdtempSync(join(tmpdir(), "loom-bench-ledger-"));
  try {
    const files = () => sealedRuns(rawFiles(join(folder, "runs"), "runs"));
    const inFiles = growth("files", await measureGrowth(files, say, "files"));
    return [...inFiles, ...(await benchRedis(say)), benchFold(say)];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function benchRedis(say: Say): Promise<Measurement[]> {
  const redis = await openRedis();
  const leftOut = "REDIS_URL is not set and redis-server is not installed";
  if (!redis) return [{ id: "ledger.redis.append", name: nameOf("append", "Redis"), leftOut }];
  const connections: Redis[] = [];
  const open = (): RunStore => {
    const connection = new Redis(redis.url);
    connections.push(connection);
    return sealedRuns(createRawRedisRunStore({ redis: connection, scope: "r1" }));
  };
  try {
    const costs = await measureGrowth(open, say, "Redis");
    const { version } = await open().load(RUN);
    const [connection] = connections;
    const bytes = connection ? await memoryOf(connection, `loom:{r1/${RUN}}:events`) : Number.NaN;
    return [
      ...growth("redis", costs),
      {
        id: "ledger.redis.bytes",
        name: "memory of Redis for each event of a run",
        value: bytes / version,
        unit: "bytes",
        detail: { version },
      },
    ];
  } finally {
    for (const connection of connections) connection.disconnect();
    await redis.close();
  }
}

/** Two processes: one writes, the other follows, each with a connection and a memory of its own. */
async function measureGrowth(open: () => RunStore, say: Say, where: string): Promise<Costs[]> {
  const [store, other] = [open(), open()];
  const [writer, follower] = [ledgersOf(store), ledgersOf(other)];
  const costs: Costs[] = [];
  const events = livesOf(RUN, SHAPE, AT);
  let version = 0;
  for (const size of SIZES) {
    version = await grow(writer, events, version, size);
    await follower.load(RUN);
    const [append, follow] = await timeWrites(writer, follower);
    version += WRITES * TURNS;
    const readEach = (await timeReading(open)) / version;
    costs.push({ events: size, append, follow, readEach });
    say(
      `${where}, ${size} events: ${append.toFixed(0)} µs for an append, ${follow.toFixed(0)} µs to follow it, ` +
        `${readEach.toFixed(0)} µs for each event to read it all`,
    );
  }
  for (const one of [store, other]) await one.close();
  return costs;
}

function ledgersOf(store: RunStore): RunLedgers {
  return createRunLedgers(store, () => {});
}

async function grow(
  runs: RunLedgers,
  lives: Iterator<RunEvent[]>,
  from: number,
  size: number,
): Promise<number> {
  for (let version = from; version < size; version += 1) {
    const { value, done } = lives.next();
    if (done) throw new Error("the run has no more stages");
    await (version === 0 ? runs.create(RUN, value) : runs.write(RUN, () => value));
  }
  return Math.max(from, size);
}

/** An event that changes next to nothing, so that it fits at any time. */
function pause(n: number): RunEvent {
  return n % 2 === 0
    ? { type: "run-paused", at: AT, cause: { kind: "person", by: "ada" } }
    : { type: "run-unpaused", at: AT, by: "ada" };
}

async function timeWrites(
  writer: RunLedgers,
  follower: RunLedgers,
): Promise<[append: number, follow: number]> {
  const turns: [number, number][] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    let follow = 0;
    const began = cpu();
    for (let n = 0; n < WRITES; n += 1) {
      await writer.write(RUN, () => [pause(n)]);
      const wrote = cpu();
      await follower.load(RUN);
      follow += cpu() - wrote;
    }
    turns.push([(cpu() - began - follow) / WRITES, follow / WRITES]);
  }
  return [Math.min(...turns.map(([append]) => append)), Math.min(...turns.map(([, follow]) => follow))];
}

async function timeReading(open: () => RunStore): Promise<number> {
  const turns: number[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    const store = open();
    await store.list();
    const runs = ledgersOf(store);
    const began = cpu();
    await runs.load(RUN);
    turns.push(cpu() - began);
    await store.close();
  }
  return median(turns);
}

/** Events of few stages and of many, folded without any store. */
function benchFold(say: Say): Result {
  const costs = [100, 10_000].map((stages) => {
    const [created = [], ...others] = [...livesOf(RUN, grid(10, stages / 10), AT)];
    const events = others.flat();
    const run = evolve(null, created);
    const rounds = Math.ceil(20_000 / events.length);
    const turns = Array.from({ length: TURNS }, () => {
      const began = cpu();
      for (let n = 0; n < rounds; n += 1) evolve(run, events);
      return (cpu() - began) / rounds / events.length;
    });
    return { stages, each: Math.min(...turns) };
  });
  for (const { stages, each } of costs) say(`folded, ${stages} stages: ${each.toFixed(1)} µs for each event`);
  const [small, large] = costs;
  return {
    id: "ledger.fold",
    name: "CPU to fold an event of a run of 10,000 stages against one of 100",
    value: small && large ? large.each / small.each : Number.NaN,
    unit: "×",
    detail: { costs },
  };
}

function cpu(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

function nameOf(what: "append" | "follow" | "read", where: string): string {
  const texts = {
    append: "CPU of an append in a run of 5,000 events against one of 100",
    follow: "CPU to follow an append in a run of 5,000 events against one of 100",
    read: "CPU for each event to read a run of 5,000 against one of 1,000",
  };
  return `ledger in ${where}: ${texts[what]}`;
}

function growth(where: "files" | "redis", costs: readonly Costs[]): Result[] {
  const large = costs.at(-1);
  // To read a run of 100 events is mostly to read its plan, which is as long as ever.
  const result = (what: "append" | "follow" | "read", of: (one: Costs) => number): Result => {
    const small = costs.find(({ events }) => events === (what === "read" ? 1_000 : 100));
    return {
      id: `ledger.${where}.${what}`,
      name: nameOf(what, where === "redis" ? "Redis" : "files"),
      value: small && large ? of(large) / of(small) : Number.NaN,
      unit: "×",
      detail: { costs },
    };
  };
  return [
    result("append", ({ append }) => append),
    result("follow", ({ follow }) => follow),
    result("read", ({ readEach }) => readEach),
  ];
}
