import type { Host, RepoEngine } from "../src/engine/github/host.ts";
import { observeRun } from "../src/engine/github/observe/observe-run.ts";
import type { Job } from "../src/ports/job-queue.ts";

/** "See what people did to run X." */
export async function observe(
  host: Host,
  engine: RepoEngine,
  job: Extract<Job, { kind: "observe" }>,
): Promise<void> {
  await observeRun(engine, host, job.run);
}
