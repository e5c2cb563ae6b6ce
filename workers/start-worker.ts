import { InternalError, StoreTrouble } from "../src/core/errors.ts";
import type { Engine } from "../src/engine/engine.ts";
import { giveUpOnJob } from "../src/engine/run/give-up-on-job.ts";
import type { Job } from "../src/ports/job-queue.ts";
import { advance } from "./advance.ts";
import { merge } from "./merge.ts";
import { stage } from "./stage.ts";

export type WorkerOptions = {
  /** How many agents run at a time on this machine. */
  readonly maxStages: number;
  /** Nothing can be written down any more; whoever drives has to say so and stop. */
  readonly onBroken: (error: unknown) => void;
};

/** Starts taking jobs. */
export function startWorker(engine: Engine, options: WorkerOptions): void {
  const told = (error: unknown): never => {
    // What can't be written down is not done again and again until the disk has room: agents cost money.
    if (error instanceof StoreTrouble) options.onBroken(error);
    throw error;
  };
  engine.queue.process((job, signal) => handle(engine, job, signal).catch(told), {
    // One merge at a time: each builds on the one before, so a second one could only lose the swap.
    concurrency: { advance: 1, stage: options.maxStages, merge: 1 },
    attempts: 3,
    onGivenUp: (job, error) => giveUpOnJob(engine, job, error).catch(options.onBroken),
  });
}

function handle(engine: Engine, job: Job, signal: AbortSignal): Promise<void> {
  switch (job.kind) {
    case "advance":
      return advance(engine, job);
    case "stage":
      return stage(engine, job, signal);
    case "merge":
      return merge(engine, job, signal);
    default:
      throw new InternalError(`a run of one machine has no ${job.kind} jobs`);
  }
}
