import type { Host, RepoEngine } from "../src/engine/github/host.ts";
import { doTask } from "../src/engine/github/task/do-task.ts";
import type { Job } from "../src/ports/job-queue.ts";

/** "Go on with task X." */
export async function task(
  host: Host,
  engine: RepoEngine,
  job: Extract<Job, { kind: "task" }>,
  signal: AbortSignal,
): Promise<void> {
  await doTask(host, engine, job.task, signal);
}
