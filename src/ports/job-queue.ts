import type { RunId, StageId } from "../core/ids.ts";

/** Jobs carry ids, never decisions: whoever takes one loads the run and drops the job when it is no longer wanted. */
export type Job =
  | { readonly kind: "advance"; readonly run: RunId }
  | { readonly kind: "stage"; readonly run: RunId; readonly stage: StageId; readonly attempt: number }
  | { readonly kind: "merge"; readonly run: RunId; readonly stage: StageId };

export interface JobQueue {
  /**
   * While an equal job waits, the second is dropped. A job that arrives while an equal one is being worked on waits for
   * its end and runs once more, so that no wake-up is lost; jobs of the same key never overlap.
   */
  enqueue(job: Job, options?: { delayMs?: number }): Promise<void>;
  /** Starts handing out jobs. A handler that throws sees the job again, up to `attempts` times; then `onGivenUp` is told. */
  process(handler: JobHandler, options: ProcessOptions): void;
  /** Resolves when nothing waits, is delayed, or is being worked on. */
  idle(): Promise<void>;
  /** Hands out no more jobs and waits for those being worked on. */
  close(): Promise<void>;
}

export type JobHandler = (job: Job, signal: AbortSignal) => Promise<void>;
export type ProcessOptions = {
  /** How many jobs of one kind may be worked on at a time. */
  readonly concurrency: Readonly<Record<Job["kind"], number>>;
  readonly attempts: number;
  readonly onGivenUp: (job: Job, error: unknown) => Promise<void>;
};

/** Equal jobs have equal keys. Safe as a BullMQ job id: no colon, not an integer. */
export function jobKey(job: Job): string {
  switch (job.kind) {
    case "advance":
      return `advance/${job.run}`;
    case "stage":
      return `stage/${job.run}/${job.stage}/${job.attempt}`;
    case "merge":
      return `merge/${job.run}/${job.stage}`;
  }
}
