import type { RepoId, RunId, StageId } from "../core/ids.ts";

/**
 * Jobs carry ids, never decisions: whoever takes one loads the run and drops the job when it is no longer wanted.
 * `repo` is set where one queue serves many repositories.
 */
export type Job =
  | { readonly kind: "advance"; readonly repo?: RepoId; readonly run: RunId }
  | {
      readonly kind: "stage";
      readonly repo?: RepoId;
      readonly run: RunId;
      readonly stage: StageId;
      readonly attempt: number;
    }
  | { readonly kind: "merge"; readonly repo?: RepoId; readonly run: RunId; readonly stage: StageId }
  /** Merge into this branch whatever is due, of all runs; one at a time across all processes. */
  | { readonly kind: "train"; readonly repo: RepoId; readonly target: string }
  /** Read from the forge what people and pipelines did, write it down, then advance. */
  | { readonly kind: "observe"; readonly repo: RepoId; readonly run: RunId }
  /** Bring panel, check runs and labels up to date. */
  | { readonly kind: "show"; readonly repo: RepoId; readonly run: RunId }
  /** Tell the operator's own webhook what happened. */
  | { readonly kind: "notify"; readonly repo: RepoId; readonly run: RunId }
  /** Go on with work of one agent outside of a run. */
  | { readonly kind: "task"; readonly repo?: RepoId; readonly task: string }
  /** Act on a delivery that waits in the inbox. */
  | { readonly kind: "delivery"; readonly delivery: string }
  /** Look for what no wake-up announced: lost deliveries, dead workers, forgotten runs. */
  | { readonly kind: "sweep" };

/** What `onGivenUp` is told of a job that its workers died of: who tries it again loses the next one (F31). */
export class WorkerKilled extends Error {
  constructor(times: number) {
    super(`its worker went away ${times} times`);
    this.name = "WorkerKilled";
  }
}

export interface JobQueue {
  /**
   * While an equal job waits, the second is dropped. A job that arrives while an equal one is being worked on waits for
   * its end and runs once more, so that no wake-up is lost; jobs of the same key never overlap. A delayed job is brought
   * forward by an equal one that is due earlier.
   */
  enqueue(job: Job, options?: EnqueueOptions): Promise<void>;
  /** Starts handing out jobs. A handler that throws sees the job again, up to `attempts` times; then `onGivenUp` is told. */
  process(handler: JobHandler, options: ProcessOptions): void;
  /** Resolves when nothing waits, is delayed, or is being worked on. */
  idle(): Promise<void>;
  /** Hands out no more jobs and waits for those being worked on. */
  close(): Promise<void>;
}

export type EnqueueOptions = {
  readonly delayMs?: number;
  /** Only a worker with this label takes the job; absent: any worker (`runs_on`). */
  readonly label?: string | null;
};

export type JobHandler = (job: Job, signal: AbortSignal) => Promise<void>;
export type ProcessOptions = {
  /** How many jobs of one kind may be worked on at a time by this process; a kind that is absent is not taken. */
  readonly concurrency: Readonly<Partial<Record<Job["kind"], number>>>;
  readonly attempts: number;
  readonly onGivenUp: (job: Job, error: unknown) => Promise<void>;
  /** Labels of this worker; jobs without a label are taken by all. */
  readonly labels?: readonly string[];
};

/** Equal jobs have equal keys. Safe as a BullMQ job id: no colon, not an integer. */
export function jobKey(job: Job): string {
  const run = "run" in job ? (job.repo === undefined ? job.run : `${job.repo}/${job.run}`) : "";
  switch (job.kind) {
    case "advance":
    case "observe":
    case "show":
    case "notify":
      return `${job.kind}/${run}`;
    case "stage":
      return `stage/${run}/${job.stage}/${job.attempt}`;
    case "merge":
      return `merge/${run}/${job.stage}`;
    case "train":
      return `train/${job.repo}/${job.target}`;
    case "task":
      return `task/${job.repo === undefined ? "" : `${job.repo}/`}${job.task}`;
    case "delivery":
      return `delivery/${job.delivery}`;
    case "sweep":
      return "sweep/all";
  }
}
