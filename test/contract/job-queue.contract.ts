import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Job, JobQueue, ProcessOptions } from "../../src/ports/job-queue.ts";

export type QueueUnderTest = {
  readonly queue: JobQueue;
  /** Lets that much time pass for the queue, and hands out what is due by then. */
  advance(ms: number): Promise<void>;
  dispose(): Promise<void>;
};

/** What every job queue promises, whatever it keeps its jobs in. */
export function describeJobQueue(name: string, makeQueue: () => Promise<QueueUnderTest>): void {
  describe(`${name} job queue`, () => {
    let world: QueueUnderTest;
    let queue: JobQueue;

    beforeEach(async () => {
      world = await makeQueue();
      queue = world.queue;
    });
    afterEach(() => world.dispose());

    it("hands out jobs of a kind in the order in which they came", async () => {
      const jobs = [advance("c"), advance("a"), advance("b")];
      for (const job of jobs) await queue.enqueue(job);
      const seen: Job[] = [];
      queue.process(async (job) => void seen.push(job), options());
      await queue.idle();
      expect(seen).toEqual(jobs);
    });

    it("hands out jobs that come while it runs", async () => {
      const seen: Job[] = [];
      queue.process(async (job) => {
        seen.push(job);
        if (runOf(job) === "a") await queue.enqueue(advance("b"));
      }, options());
      await queue.enqueue(advance("a"));
      await queue.idle();
      expect(seen).toEqual([advance("a"), advance("b")]);
    });

    it("drops a job while an equal one waits, and tells different ones apart", async () => {
      const jobs = [
        stage("r", "s", 1),
        stage("r", "s", 2),
        stage("r", "t", 1),
        merge("r", "s"),
        advance("r"),
      ];
      for (const job of [...jobs, ...jobs]) await queue.enqueue(job);
      const seen: Job[] = [];
      queue.process(async (job) => void seen.push(job), options());
      await queue.idle();
      expect(sorted(seen)).toEqual(sorted(jobs));
    });

    it("runs a job once more when it came again, however often, while being worked on", async () => {
      const first = barrier();
      let runs = 0;
      let overlapping = 0;
      queue.process(
        async () => {
          runs += 1;
          overlapping += 1;
          expect(overlapping).toBe(1);
          if (runs === 1) await first.pass();
          overlapping -= 1;
        },
        options({ advance: 5 }),
      );
      await queue.enqueue(advance("r"));
      await first.reached;
      for (let n = 0; n < 3; n += 1) await queue.enqueue(advance("r"));
      first.open();
      await queue.idle();
      expect(runs).toBe(2);
    });

    it("works on as many jobs of a kind at a time as it may, and no more", async () => {
      const gates = new Map<string, Barrier>();
      let active = 0;
      let most = 0;
      queue.process(
        async (job) => {
          active += 1;
          most = Math.max(most, active);
          await gates.get(runOf(job))?.pass();
          active -= 1;
        },
        options({ advance: 2 }),
      );
      for (const run of ["a", "b", "c", "d"]) {
        gates.set(run, barrier());
        await queue.enqueue(advance(run));
      }
      await Promise.all([gates.get("a")?.reached, gates.get("b")?.reached]);
      expect(active).toBe(2);
      gates.get("b")?.open();
      await gates.get("c")?.reached;
      expect(active).toBe(2);
      for (const gate of gates.values()) gate.open();
      await queue.idle();
      expect(most).toBe(2);
    });

    it("does not let one kind hold up another", async () => {
      const slow = barrier();
      const quick = barrier();
      queue.process((job) => (job.kind === "stage" ? slow.pass() : quick.pass()), options());
      await queue.enqueue(stage("r", "s", 1));
      await queue.enqueue(advance("r"));
      await Promise.all([slow.reached, quick.reached]);
      slow.open();
      quick.open();
      await queue.idle();
    });

    it("keeps its limit when handlers enqueue at once", async () => {
      let active = 0;
      let most = 0;
      queue.process(async (job) => {
        active += 1;
        most = Math.max(most, active);
        if (runOf(job) === "a") await Promise.all(["b", "c", "d"].map((run) => queue.enqueue(advance(run))));
        active -= 1;
      }, options());
      await queue.enqueue(advance("a"));
      await queue.idle();
      expect(most).toBe(1);
    });

    it("shows a job again to a handler that threw", async () => {
      let runs = 0;
      const done = barrier();
      done.open();
      const givenUp: Job[] = [];
      queue.process(
        async () => {
          runs += 1;
          if (runs < 3) throw new Error("not yet");
          await done.pass();
        },
        options({}, { attempts: 3, onGivenUp: async (job) => void givenUp.push(job) }),
      );
      await queue.enqueue(advance("r"));
      await passTimeUntil(queue.idle());
      expect(runs).toBe(3);
      expect(givenUp).toEqual([]);
    });

    it("gives a job up after its attempts, says so once, and goes on", async () => {
      const seen: string[] = [];
      const givenUp: unknown[] = [];
      queue.process(
        async (job) => {
          seen.push(runOf(job));
          if (runOf(job) === "bad") throw new Error(`no ${seen.length}`);
        },
        options(
          {},
          { attempts: 2, onGivenUp: async (job, error) => void givenUp.push([job, String(error)]) },
        ),
      );
      await queue.enqueue(advance("bad"));
      await passTimeUntil(queue.idle());
      await queue.enqueue(advance("good"));
      await queue.idle();
      expect(seen).toEqual(["bad", "bad", "good"]);
      expect(givenUp).toEqual([[advance("bad"), "Error: no 2"]]);
    });

    it("counts attempts anew for a job that was given up and comes again", async () => {
      let runs = 0;
      let givenUp = 0;
      const onGivenUp = async () => {
        givenUp += 1;
      };
      queue.process(
        async () => {
          runs += 1;
          throw new Error("never");
        },
        options({}, { attempts: 2, onGivenUp }),
      );
      await queue.enqueue(advance("r"));
      await passTimeUntil(queue.idle());
      await queue.enqueue(advance("r"));
      await passTimeUntil(queue.idle());
      expect([runs, givenUp]).toEqual([4, 2]);
    });

    it("does not lose a wake-up that came during the attempt that was the last", async () => {
      const failing = barrier();
      let runs = 0;
      queue.process(async () => {
        runs += 1;
        if (runs > 1) return;
        await failing.pass();
        throw new Error("once");
      }, options());
      await queue.enqueue(advance("r"));
      await failing.reached;
      await queue.enqueue(advance("r"));
      failing.open();
      await passTimeUntil(queue.idle());
      expect(runs).toBe(2);
    });

    it("holds a delayed job back until its time", async () => {
      const seen: string[] = [];
      queue.process(async (job) => void seen.push(runOf(job)), options());
      await queue.enqueue(advance("later"), { delayMs: 60_000 });
      await queue.enqueue(advance("now"));
      await world.advance(59_000);
      expect(seen).toEqual(["now"]);
      await world.advance(1_000);
      await queue.idle();
      expect(seen).toEqual(["now", "later"]);
    });

    it("lets the earlier of two times win", async () => {
      const seen: string[] = [];
      queue.process(async (job) => void seen.push(runOf(job)), options());
      await queue.enqueue(advance("a"), { delayMs: 60_000 });
      await queue.enqueue(advance("a"));
      await queue.enqueue(advance("b"), { delayMs: 60_000 });
      await queue.enqueue(advance("b"), { delayMs: 20_000 });
      await queue.enqueue(advance("b"), { delayMs: 40_000 });
      await world.advance(1_000);
      expect(seen).toEqual(["a"]);
      await world.advance(19_000);
      await queue.idle();
      expect(seen).toEqual(["a", "b"]);
      await world.advance(120_000);
      expect(seen).toEqual(["a", "b"]);
    });

    it("remembers the delay of a job that came again while being worked on", async () => {
      const first = barrier();
      let runs = 0;
      queue.process(async () => {
        runs += 1;
        if (runs === 1) await first.pass();
      }, options());
      await queue.enqueue(advance("r"));
      await first.reached;
      await queue.enqueue(advance("r"), { delayMs: 60_000 });
      first.open();
      await world.advance(30_000);
      expect(runs).toBe(1);
      await world.advance(30_000);
      await queue.idle();
      expect(runs).toBe(2);
    });

    it("is not idle while a job is delayed", async () => {
      let idle = false;
      queue.process(async () => {}, options());
      await queue.enqueue(advance("r"), { delayMs: 60_000 });
      const waiting = queue.idle().then(() => {
        idle = true;
      });
      await world.advance(30_000);
      expect(idle).toBe(false);
      await world.advance(30_000);
      await waiting;
      expect(idle).toBe(true);
    });

    it("is idle at once when nothing was ever enqueued", async () => {
      await queue.idle();
    });

    it("tells handlers to stop when it closes, waits for them, and hands out no more", async () => {
      const started = barrier();
      const seen: string[] = [];
      queue.process(async (job, signal) => {
        seen.push(runOf(job));
        signal.addEventListener("abort", () => started.open());
        await started.pass();
        seen.push(`${runOf(job)} ended`);
      }, options());
      await queue.enqueue(advance("a"));
      await queue.enqueue(advance("b"));
      await queue.enqueue(advance("c"), { delayMs: 1_000 });
      await started.reached;
      await queue.close();
      expect(seen).toEqual(["a", "a ended"]);
      await queue.enqueue(advance("d"));
      await world.advance(10_000);
      expect(seen).toEqual(["a", "a ended"]);
    });

    it("does not try a job again whose handler threw because the queue closed", async () => {
      const started = barrier();
      let runs = 0;
      const givenUp: Job[] = [];
      queue.process(
        async (_, signal) => {
          runs += 1;
          signal.addEventListener("abort", () => started.open());
          await started.pass();
          signal.throwIfAborted();
        },
        options({}, { onGivenUp: async (job) => void givenUp.push(job) }),
      );
      await queue.enqueue(advance("r"));
      await started.reached;
      await queue.close();
      await queue.close();
      expect(runs).toBe(1);
      expect(givenUp).toEqual([]);
    });

    it("hands out every kind of job as it was enqueued", async () => {
      const jobs: Job[] = [
        { kind: "advance", repo: "r12", run: "a" },
        { kind: "advance", repo: "r13", run: "a" },
        { kind: "advance", run: "a" },
        { kind: "stage", repo: "r12", run: "a", stage: "s", attempt: 2 },
        { kind: "merge", repo: "r12", run: "a", stage: "s" },
        { kind: "train", repo: "r12", target: "release/1.x" },
        { kind: "observe", repo: "r12", run: "a" },
        { kind: "show", repo: "r12", run: "a" },
        { kind: "notify", repo: "r12", run: "a" },
        { kind: "task", repo: "r12", task: "ask-1" },
        { kind: "task", repo: "r13", task: "ask-1" },
        { kind: "task", task: "ask-1" },
        { kind: "delivery", delivery: "72d3162e-cc78-11e3-81ab-4c9367dc0958" },
        { kind: "sweep" },
      ];
      for (const job of [...jobs, ...jobs]) await queue.enqueue(job);
      const seen: Job[] = [];
      queue.process(
        async (job) => void seen.push(job),
        options({ train: 1, observe: 1, show: 1, notify: 1, task: 1, delivery: 1, sweep: 1 }),
      );
      await queue.idle();
      expect(sorted(seen)).toEqual(sorted(jobs));
    });

    it("leaves jobs alone whose kind it was not told to take", async () => {
      const seen: Job[] = [];
      queue.process(async (job) => void seen.push(job), options());
      await queue.enqueue({ kind: "sweep" });
      await queue.enqueue(advance("a"));
      await world.advance(1_000);
      expect(seen).toEqual([advance("a")]);
    });

    it("hands out a job with a label only to a worker that has it", async () => {
      const seen: Job[] = [];
      await queue.enqueue(stage("r", "plain", 1));
      await queue.enqueue(stage("r", "gpu", 1), { label: "gpu" });
      await queue.enqueue(stage("r", "arm", 1), { label: "arm" });
      queue.process(async (job) => void seen.push(job), options({}, { labels: ["gpu", "big"] }));
      await world.advance(1_000);
      expect(sorted(seen)).toEqual(sorted([stage("r", "gpu", 1), stage("r", "plain", 1)]));
    });

    it("counts jobs with and without a label together", async () => {
      const gate = barrier();
      const open = barrier();
      let active = 0;
      let most = 0;
      queue.process(
        async (job) => {
          active += 1;
          most = Math.max(most, active);
          await (job.kind === "stage" && job.stage === "a" ? gate : open).pass();
          active -= 1;
        },
        options({ stage: 1 }, { labels: ["gpu"] }),
      );
      open.open();
      await queue.enqueue(stage("r", "a", 1));
      await gate.reached;
      for (const id of ["b", "c"]) await queue.enqueue(stage("r", id, 1), { label: "gpu" });
      await queue.enqueue(stage("r", "d", 1));
      await world.advance(1_000);
      expect(active).toBe(1);
      gate.open();
      await queue.idle();
      expect(most).toBe(1);
    });

    it("holds a delayed job with a label back, and knows its label then", async () => {
      const seen: Job[] = [];
      queue.process(async (job) => void seen.push(job), options({}, { labels: ["gpu"] }));
      await queue.enqueue(stage("r", "a", 1), { label: "gpu", delayMs: 60_000 });
      await queue.enqueue(stage("r", "b", 1), { label: "arm", delayMs: 60_000 });
      await world.advance(59_000);
      expect(seen).toEqual([]);
      await world.advance(1_000);
      expect(seen).toEqual([stage("r", "a", 1)]);
    });

    it("drops a delayed job while an equal one waits", async () => {
      let runs = 0;
      await queue.enqueue(advance("r"));
      await queue.enqueue(advance("r"), { delayMs: 60_000 });
      queue.process(async () => {
        runs += 1;
      }, options());
      await queue.idle();
      await world.advance(120_000);
      expect(runs).toBe(1);
    });

    it("does not let a later time take the place of a wake-up that came while being worked on", async () => {
      const first = barrier();
      let runs = 0;
      queue.process(async () => {
        runs += 1;
        if (runs === 1) await first.pass();
      }, options());
      await queue.enqueue(advance("r"));
      await first.reached;
      await queue.enqueue(advance("r"));
      await queue.enqueue(advance("r"), { delayMs: 60_000 });
      first.open();
      await world.advance(1_000);
      expect(runs).toBe(2);
    });

    it("loses no wake-up among many, and lets none overlap", async () => {
      let written = 0;
      let seen = 0;
      let active = 0;
      let most = 0;
      queue.process(
        async () => {
          active += 1;
          most = Math.max(most, active);
          const now = written;
          await turn();
          seen = now;
          active -= 1;
          if (now % 3 === 0) throw new Error("now and then");
        },
        options({ advance: 4 }, { attempts: 2 }),
      );
      for (; written < 200; ) {
        written += 1;
        await queue.enqueue(advance("r"), written % 5 === 0 ? { delayMs: 1 } : {});
        if (written % 7 === 0) await turn();
      }
      await passTimeUntil(queue.idle());
      expect([seen, most]).toEqual([200, 1]);
    });

    /** Retries may be delayed; how long is the queue's affair. */
    async function passTimeUntil(end: Promise<void>): Promise<void> {
      let ended = false;
      const ending = end.then(() => {
        ended = true;
      });
      while (!ended) await world.advance(1_000);
      await ending;
    }
  });
}

function options(
  concurrency: Partial<ProcessOptions["concurrency"]> = {},
  more: Partial<ProcessOptions> = {},
): ProcessOptions {
  return {
    concurrency: { advance: 1, stage: 1, merge: 1, ...concurrency },
    attempts: 1,
    onGivenUp: async () => {},
    ...more,
  };
}

const advance = (run: string): Job => ({ kind: "advance", run });
const stage = (run: string, id: string, attempt: number): Job => ({ kind: "stage", run, stage: id, attempt });
const merge = (run: string, id: string): Job => ({ kind: "merge", run, stage: id });
const runOf = (job: Job): string => ("run" in job ? job.run : "");
const sorted = (jobs: readonly Job[]) => jobs.map((job) => JSON.stringify(job)).sort();

type Barrier = { readonly reached: Promise<void>; open(): void; pass(): Promise<void> };

/** Stops whoever passes until it is opened, and tells when somebody has come. */
function barrier(): Barrier {
  let arrive = () => {};
  let open = () => {};
  const reached = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    reached,
    open: () => open(),
    pass() {
      arrive();
      return opened;
    },
  };
}
