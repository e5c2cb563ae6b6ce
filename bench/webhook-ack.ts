import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createEmbeddedInbox } from "../src/adapters/embedded/inbox.ts";
import { connectRedis } from "../src/adapters/redis/connect-redis.ts";
import { createRedisInbox } from "../src/adapters/redis/inbox.ts";
import type { Inbox } from "../src/ports/inbox.ts";
import { packageRoot } from "../src/wiring/folders/package-root.ts";
import type { Measurement, Result } from "./result.ts";
import { ackPayload } from "./support/ack-payload.ts";
import { openRedis } from "./support/open-redis.ts";
import { openPosting, type Posting } from "./support/post-webhooks.ts";
import { quantile } from "./support/quantile.ts";

const SECRET = "a-secret-of-the-benchmark";
const TURNS = 30;
const ALONE = 40;
const TOGETHER = 120;
/** A server runs for weeks: it is measured once its code is compiled, which takes Loom's some thousand webhooks. */
const WARM_UP = 5000;
const AT_ONCE = 20;

type Side = {
  readonly name: string;
  readonly posting: Posting;
  readonly child: ChildProcess;
  readonly inbox: Inbox | null;
  /** One list for each turn. */
  readonly alone: (readonly number[])[];
  readonly together: (readonly number[])[];
  perSecond: number;
};

/**
 * How long GitHub waits for its answer, against a Probot app that does nothing. The servers are processes of their own
 * and take turns; the p50 is that of the least disturbed turn, the p99 that of all of them.
 *
 * Against the empty app a store that lasts can't win: a delivery must be on the disk, or in Redis, before GitHub hears
 * that it was taken, because GitHub never sends it again by itself. So an empty Probot app that makes one write to the
 * disk, or goes one way to Redis and back, takes its turns as well, and the second figure says what Loom adds to what has
 * to be paid.
 */
export async function benchWebhookAck(say: (text: string) => void): Promise<Measurement[]> {
  const folder = await mkdtemp(join(tmpdir(), "loom-bench-ack-"));
  const redis = await openRedis();
  const connection = redis && (await connectRedis(redis.url, { role: "worker" }));
  const body = ackPayload();
  const sides: Side[] = [];
  try {
    sides.push(await open("probot", "", body));
    sides.push(await open("memory", "", body));
    const root = join(folder, "inbox");
    sides.push(await open("probot-embedded", folder, body));
    sides.push(await open("embedded", root, body, createEmbeddedInbox({ root })));
    if (redis && connection) {
      sides.push(await open("probot-redis", redis.url, body));
      sides.push(await open("redis", redis.url, body, createRedisInbox({ redis: connection })));
    }
    await measureAll(sides);
    for (const side of sides) say(describe(side));
    return [...results(sides), ...(redis ? [] : LEFT_OUT)];
  } finally {
    for (const side of sides) await shut(side);
    connection?.disconnect();
    await redis?.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const LEFT_OUT: Measurement[] = [
  {
    id: "webhook.redis.floor",
    name: "webhook acknowledged, Redis",
    leftOut: "REDIS_URL is not set and redis-server is not installed",
  },
];

async function measureAll(sides: readonly Side[]): Promise<void> {
  for (const { posting } of sides) await posting.send(WARM_UP, AT_ONCE);
  for (let turn = 0; turn < TURNS; turn += 1) {
    for (const side of sides) {
      const { each } = await side.posting.send(ALONE, 1);
      side.alone.push(each);
    }
  }
  for (let turn = 0; turn < TURNS; turn += 1) {
    for (const side of sides) {
      const { each, ms } = await side.posting.send(TOGETHER, AT_ONCE);
      side.together.push(each);
      side.perSecond = Math.max(side.perSecond, (TOGETHER / ms) * 1000);
    }
  }
  const sent = WARM_UP + TURNS * (ALONE + TOGETHER);
  for (const { name, inbox } of sides) {
    const kept = inbox ? (await inbox.waiting(2 * sent)).length : sent;
    if (kept !== sent) throw new Error(`${name}: ${kept} of ${sent} deliveries were kept`);
  }
}

/** Of the least disturbed turn: what else the machine does comes and goes within seconds. */
function p50Of(turns: readonly (readonly number[])[]): number {
  return Math.min(...turns.map((turn) => quantile(turn, 0.5)));
}

function results(sides: readonly Side[]): Result[] {
  const p50Named = (name: string): number | null => {
    const side = sides.find((one) => one.name === name);
    return side ? p50Of(side.alone) : null;
  };
  const empty = p50Named("probot") ?? 0;
  return sides
    .filter(({ name }) => !name.startsWith("probot"))
    .flatMap((side) => {
      const p50 = p50Of(side.alone);
      const floor = p50Named(`probot-${side.name}`);
      const detail = { ...figures(side), emptyProbotP50: empty };
      const name = `webhook acknowledged (p50), ${side.name}, against an empty Probot app`;
      const id = `webhook.${side.name}`;
      const bare: Result = { id, name, value: p50 / empty, unit: "×", detail };
      if (floor === null) return [bare];
      const written = `${name} with one write to the store`;
      const detailed = { oneWriteP50: floor };
      return [bare, { ...bare, id: `${id}.floor`, name: written, value: p50 / floor, detail: detailed }];
    });
}

function figures(side: Side): Record<string, number> {
  return {
    p50: p50Of(side.alone),
    p99: quantile(side.alone.flat(), 0.99),
    p50At20: p50Of(side.together),
    p99At20: quantile(side.together.flat(), 0.99),
    perSecondAt20: side.perSecond,
  };
}

function describe(side: Side): string {
  const { p50, p99, p50At20, p99At20, perSecondAt20 } = figures(side);
  const ms = (value: number | undefined): string => `${value?.toFixed(2)} ms`;
  return (
    `webhook, ${side.name}: p50 ${ms(p50)}, p99 ${ms(p99)}; ${AT_ONCE} at once: p50 ${ms(p50At20)}, ` +
    `p99 ${ms(p99At20)}, ${perSecondAt20?.toFixed(0)} per second`
  );
}

async function open(name: string, place: string, body: string, inbox: Inbox | null = null): Promise<Side> {
  const program = join(packageRoot(), "dist", "bench", "support", "ack-server.js");
  const child = spawn(process.execPath, [program, name, SECRET, place], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  const port = await new Promise<number>((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => resolve(Number(line)));
    child.on("exit", (code) => reject(new Error(`the server ${name} ended with ${code}`)));
  });
  const posting = openPosting(port, SECRET, body);
  return { name, posting, child, inbox, alone: [], together: [], perSecond: 0 };
}

async function shut({ posting, child }: Side): Promise<void> {
  posting.close();
  const ended = once(child, "exit");
  child.stdin?.end();
  await ended;
}
