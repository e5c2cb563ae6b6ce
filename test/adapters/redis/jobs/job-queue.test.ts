import { Queue } from "bullmq";
import type { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { connectRedis } from "../../../../src/adapters/redis/connect-redis.ts";
import {
  createRedisJobQueue,
  type RedisJobQueueOptions,
} from "../../../../src/adapters/redis/jobs/job-queue.ts";
import type { Job, JobQueue, ProcessOptions } from "../../../../src/ports/job-queue.ts";
import { until } from "../../../support/living-processes.ts";
import { BY_THE_CLOCK } from "../../../support/quickly.ts";
import { type RedisServer, startRedis } from "../redis-server.ts";

let server: RedisServer;
let redis: Redis;
let name: string;
let count = 0;
let warnings: string[] = [];
let queues: JobQueue[] = [];

beforeAll(async () => {
  server = await startRedis();
  redis = await connectRedis(server.url, { role: "worker" });
});
afterAll(async () => {
  redis.disconnect();
  await server.dispose();
});
beforeEach(() => {
  name = `q${++count}`;
  warnings = [];
});
afterEach(async () => {
  await Promise.all(queues.map((queue) => queue.close()));
  queues = [];
});

function open(more: Partial<RedisJobQueueOptions> = {}): JobQueue {
  const onWarning = (message: string): void => void warnings.push(message);
  const queue = createRedisJobQueue({ redis, name, onWarning, ...more });
  queues.push(queue);
  return queue;
}

function options(more: Partial<ProcessOptions> = {}): ProcessOptions {
  return { concurrency: { advance: 1, stage: 1 }, attempts: 1, onGivenUp: async () => {}, ...more };
}

const JOB: Job = { kind: "stage", repo: "r12", run: "a", stage: "build", attempt: 1 };

describe("the redis job queue", () => {
  it("keeps nothing of jobs that are done", async () => {
    const queue = open();
    let fails = true;
    queue.process(
      async () => {
        fails = !fails;
        if (!fails) throw new Error("once");
      },
      options({ attempts: 2 }),
    );
    await queue.enqueue(JOB);
    await queue.enqueue({ kind: "advance", run: "a" }, { delayMs: 1 });
    await queue.idle();
    const kept = (await redis.keys(`{${name}}:*`)).map((key) => key.slice(name.length + 3)).sort();
    expect(kept.filter((key) => !/:(meta|id|events|marker|stalled-check|stalled|delay)$/.test(key))).toEqual([
      "queues",
    ]);
  });

  it("drops what is no job, says so, and goes on", async () => {
    const raw = new Queue("loom-stage", { connection: redis, prefix: `{${name}}` });
    for (const data of [
      { ...JOB, run: "../evil" },
      { ...JOB, repo: "octo/shop" },
      { ...JOB, approved: true },
      { ...JOB, attempt: -1 },
      { kind: "advance", run: "a" },
      { kind: "launch" },
      "text",
      null,
    ]) {
      await raw.add("stage", data);
    }
    await raw.close();
    const seen: Job[] = [];
    const queue = open();
    queue.process(async (job) => void seen.push(job), options());
    await queue.enqueue(JOB);
    await queue.idle();
    expect(seen).toEqual([JOB]);
    expect(warnings).toHaveLength(8);
    expect(warnings[4]).toBe("Dropped job 5 of queue loom-stage: it is of kind advance");
    for (const warning of warnings) expect(warning).toMatch(/^Dropped job \d of queue loom-stage: /);
  });

  it("gets rid of what BullMQ itself can't read", async () => {
    const queue = open({ lockMs: 200 });
    const seen: Job[] = [];
    queue.process(async (job) => void seen.push(job), options());
    await redis.hset(`{${name}}:loom-stage:x1`, {
      data: "{no json",
      opts: "{}",
      name: "stage",
      timestamp: 1,
    });
    await redis.lpush(`{${name}}:loom-stage:wait`, "x1");
    await queue.enqueue(JOB);
    await queue.idle();
    expect(seen).toEqual([JOB]);
    expect(await redis.exists(`{${name}}:loom-stage:x1`)).toBe(0);
    expect(warnings).toContain("Dropped job x1 of queue loom-stage: it can't be read");
  });

  it("drops delayed jobs that are none", async () => {
    const queue = open({ time: { timersEveryMs: 5 } });
    await redis.zadd(
      `{${name}}:timers`,
      1,
      "{no json",
      2,
      '[null,{"kind":"stage"}]',
      3,
      '["No Label",{"kind":"sweep"}]',
    );
    queue.process(async () => {}, options());
    await queue.idle();
    expect(warnings).toHaveLength(3);
    for (const warning of warnings) expect(warning).toMatch(/^Dropped a delayed job: /);
  });

  it("hands a delayed job over that another process died with, and does not confuse it with a later one", async () => {
    let now = 1_000_000;
    const queue = open({ time: { timersEveryMs: 5, now: () => now } });
    const timer = JSON.stringify([
      null,
      { attempt: 1, kind: "stage", repo: "r12", run: "a", stage: "build" },
    ]);
    await redis.zadd(`{${name}}:timers:fired`, now - 1, timer);
    let runs = 0;
    queue.process(async () => {
      runs += 1;
    }, options());
    await queue.enqueue(JOB, { delayMs: 60_000 });
    now += 30_000;
    await until(() => runs === 1, "the forgotten job is handed out");
    await until(async () => (await redis.zcard(`{${name}}:timers:fired`)) === 0, "it is forgotten");
    expect(await redis.zrange(`{${name}}:timers`, 0, "-1", "WITHSCORES")).toEqual([timer, "1060000"]);
    now += 30_000;
    await queue.idle();
    expect(runs).toBe(2);
  });

  it("waits for a handler that lost its lock before it begins the job anew in the same process", async () => {
    const queue = open({ lockMs: 300 });
    let active = 0;
    let runs = 0;
    let most = 0;
    queue.process(
      async (_, signal) => {
        runs += 1;
        active += 1;
        most = Math.max(most, active);
        if (runs === 1) {
          const [lock] = await redis.keys(`{${name}}:loom-stage:*:lock`);
          await redis.del(lock ?? "");
          await until(() => signal.aborted, "it is stopped");
          // A handler that is slow to stop: by now another attempt would have begun.
          const end = performance.now() + 1000;
          await until(() => performance.now() > end, "it has ended");
        }
        active -= 1;
      },
      options({ concurrency: { stage: 3 } }),
    );
    await queue.enqueue(JOB);
    await queue.idle();
    expect([runs, most]).toEqual([2, 1]);
  });

  it("keeps what handlers throw out of Redis", async () => {
    const queue = open();
    let runs = 0;
    queue.process(
      async () => {
        runs += 1;
        throw new Error("token s3cr3t refused");
      },
      options({ attempts: 3 }),
    );
    await queue.enqueue(JOB);
    await until(() => runs === 2, "the job has failed");
    const raw = new Queue("loom-stage", { connection: redis, prefix: `{${name}}` });
    const kept = JSON.stringify([
      await raw.getJobs(),
      await redis.xrange(`{${name}}:loom-stage:events`, "-", "+"),
    ]);
    await raw.close();
    expect(kept).toContain("the handler failed");
    expect(kept).not.toContain("s3cr3t");
    await queue.idle();
  });

  it("keeps a job whose end nobody could be told of", async () => {
    const queue = open();
    let told = 0;
    const onGivenUp = async () => {
      told += 1;
      if (told < 3) throw new Error("the ledger can't be written");
    };
    queue.process(() => Promise.reject(new Error("no")), options({ onGivenUp }));
    await queue.enqueue(JOB);
    await queue.idle();
    expect(told).toBe(3);
  });

  it("does not wait for the next attempt when the job comes again", BY_THE_CLOCK, async () => {
    const queue = open();
    const starts: number[] = [];
    queue.process(
      async () => {
        starts.push(performance.now());
        if (starts.length < 7) throw new Error("not yet");
      },
      options({ attempts: 10 }),
    );
    await queue.enqueue(JOB);
    // The next attempt would be more than three seconds away.
    await until(() => starts.length === 6, "it failed six times");
    const delayed = new Queue("loom-stage", { connection: redis, prefix: `{${name}}` });
    await until(async () => (await delayed.getDelayedCount()) === 1, "the job waits for its next attempt");
    await delayed.close();
    await queue.enqueue(JOB);
    await queue.idle();
    expect((starts[6] ?? 0) - (starts[5] ?? 0)).toBeLessThan(2000);
  });

  it("stops a handler whose lock was taken away", async () => {
    const queue = open({ lockMs: 400 });
    const reasons: unknown[] = [];
    const first = queue.enqueue(JOB);
    queue.process(async (_, signal) => {
      if (reasons.length > 0) return;
      await redis.flushall();
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      reasons.push(signal.reason);
      throw signal.reason;
    }, options());
    await first;
    await until(() => reasons.length === 1, "the handler is stopped");
    expect(String(reasons[0])).toBe("Error: the lock of the job is lost");
    await queue.enqueue(JOB);
    await queue.idle();
  });

  it("renews the lock of a handler that takes longer than it lasts", async () => {
    const [queue, rival] = [open({ lockMs: 1000 }), open({ lockMs: 1000 })];
    let runs = 0;
    const handler = async (_: Job, signal: AbortSignal): Promise<void> => {
      runs += 1;
      const end = performance.now() + 2500;
      await until(() => performance.now() > end, "two locks have passed");
      signal.throwIfAborted();
    };
    queue.process(handler, options());
    rival.process(handler, options());
    await queue.enqueue(JOB);
    await queue.idle();
    expect(runs).toBe(1);
  });

  it("loses no wake-up between processes, and lets none overlap", async () => {
    const workers = [open(), open(), open()];
    const written = new Map<string, number>();
    const seen = new Map<string, number>();
    const active = new Set<string>();
    let overlaps = 0;
    for (const worker of workers) {
      worker.process(
        async (job) => {
          const run = "run" in job ? job.run : "";
          if (active.has(run)) overlaps += 1;
          active.add(run);
          const now = written.get(run) ?? 0;
          await redis.ping();
          seen.set(run, now);
          active.delete(run);
        },
        options({ concurrency: { advance: 3 } }),
      );
    }
    const write = async (run: string): Promise<void> => {
      for (let n = 1; n <= 150; n += 1) {
        written.set(run, n);
        await workers[n % 3]?.enqueue({ kind: "advance", run });
      }
    };
    await Promise.all(["a", "b", "c", "d"].map(write));
    await workers[0]?.idle();
    expect(overlaps).toBe(0);
    expect([...seen].sort()).toEqual([...written].sort());
  });

  it("leaves a job with a label to a process that has time for it", async () => {
    const [busy, idle] = [open(), open()];
    const took: string[] = [];
    let finish = (): void => {};
    const blocked = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const labels = ["gpu"];
    busy.process(
      async (job) => {
        took.push(`busy ${(job as { stage?: string }).stage}`);
        await blocked;
      },
      options({ labels, concurrency: { stage: 1 } }),
    );
    await busy.enqueue(JOB);
    await until(() => took.length === 1, "one process is busy");
    for (const stage of ["x", "y", "z"]) await busy.enqueue({ ...JOB, stage } as Job, { label: "gpu" });
    idle.process(
      async (job) => void took.push(`idle ${(job as { stage?: string }).stage}`),
      options({ labels }),
    );
    await until(() => took.length === 4, "the other process takes the rest");
    expect(took.sort()).toEqual(["busy build", "idle x", "idle y", "idle z"]);
    finish();
    await busy.idle();
  });

  it("refuses labels that are no ids, a second handler, and to work over a producer's connection", async () => {
    const queue = open();
    await expect(queue.enqueue(JOB, { label: "../gpu" })).rejects.toMatchObject({ name: "UserError" });
    queue.process(async () => {}, options());
    expect(() => queue.process(async () => {}, options())).toThrow("has a handler already");
    const producer = await connectRedis(server.url, { role: "producer" });
    const intake = createRedisJobQueue({ redis: producer, name });
    expect(() => intake.process(async () => {}, options())).toThrow("takes no jobs");
    await intake.close();
    producer.disconnect();
  });
});
