import type { Worker } from "bullmq";

/**
 * How many jobs of one kind this process works on, over all queues that hold jobs of the kind. When all places are
 * taken the workers pause, so that a job with a label is left to a process that has time. A worker that was just about
 * to take a job gets no place and puts the job back; paused, it does not take it again.
 */
export type Places = {
  join(worker: Worker): void;
  take(): boolean;
  leave(): void;
};

export function createPlaces(count: number): Places {
  const workers = new Set<Worker>();
  let taken = 0;
  return {
    join: (worker) => void workers.add(worker),
    take() {
      if (taken >= count) return false;
      taken += 1;
      // With one queue only, BullMQ's own limit is the same.
      if (taken === count && workers.size > 1) for (const worker of workers) void worker.pause(true);
      return true;
    },
    leave() {
      taken -= 1;
      for (const worker of workers) if (worker.isPaused()) void worker.resume();
    },
  };
}
