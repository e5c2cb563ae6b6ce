import { describe, expect, it } from "vitest";
import { createEmbeddedJobQueue } from "../../../src/adapters/embedded/job-queue.ts";
import type { Job, ProcessOptions } from "../../../src/ports/job-queue.ts";
import { createManualTime } from "../../contract/manual-time.ts";

const JOB: Job = { kind: "advance", run: "r1" };

function options(more: Partial<ProcessOptions> = {}): ProcessOptions {
  return { concurrency: { advance: 1, stage: 1, merge: 1 }, attempts: 4, onGivenUp: async () => {}, ...more };
}

describe("the embedded job queue", () => {
  it("waits a little longer before every further attempt", async () => {
    const time = createManualTime();
    const queue = createEmbeddedJobQueue(time);
    const start = time.now();
    const tries: number[] = [];
    queue.process(async () => {
      tries.push(time.now() - start);
      throw new Error("no");
    }, options());
    await queue.enqueue(JOB);
    await time.advance(10_000);
    expect(tries).toEqual([0, 100, 300, 700]);
    await queue.close();
  });

  it("does not wait when the job comes again before its next attempt", async () => {
    const time = createManualTime();
    const queue = createEmbeddedJobQueue(time);
    let tries = 0;
    queue.process(async () => {
      tries += 1;
      if (tries === 1) throw new Error("no");
    }, options());
    await queue.enqueue(JOB);
    await time.advance(1);
    await queue.enqueue(JOB);
    await queue.idle();
    expect(tries).toBe(2);
    expect(time.pending()).toBe(0);
  });

  it("keeps a job whose end nobody could be told of", async () => {
    const time = createManualTime();
    const queue = createEmbeddedJobQueue(time);
    let told = 0;
    const onGivenUp = async () => {
      told += 1;
      if (told < 3) throw new Error("the disk is full");
    };
    queue.process(() => Promise.reject(new Error("no")), options({ attempts: 1, onGivenUp }));
    await queue.enqueue(JOB);
    await time.advance(10_000);
    await queue.idle();
    expect(told).toBe(3);
  });

  it("leaves no timer behind when it closes", async () => {
    const time = createManualTime();
    const queue = createEmbeddedJobQueue(time);
    await queue.enqueue(JOB, { delayMs: 60_000 });
    expect(time.pending()).toBe(1);
    await queue.close();
    expect(time.pending()).toBe(0);
    await queue.idle();
  });

  it("keeps to delays that are longer than a timer can be", async () => {
    const time = createManualTime();
    const queue = createEmbeddedJobQueue(time);
    const month = 31 * 24 * 60 * 60 * 1000;
    let runs = 0;
    queue.process(async () => {
      runs += 1;
    }, options());
    await queue.enqueue(JOB, { delayMs: month });
    await time.advance(month - 1);
    expect(runs).toBe(0);
    await time.advance(1);
    expect(runs).toBe(1);
  });

  it("refuses a second handler", () => {
    const queue = createEmbeddedJobQueue();
    queue.process(async () => {}, options());
    expect(() => queue.process(async () => {}, options())).toThrow("has a handler already");
  });

  it("works with real timers", async () => {
    const queue = createEmbeddedJobQueue();
    const seen: Job[] = [];
    queue.process(async (job) => void seen.push(job), options());
    await queue.enqueue(JOB, { delayMs: 5 });
    await queue.idle();
    expect(seen).toEqual([JOB]);
    await queue.close();
  });
});
