import type { Host, RepoEngine } from "../src/engine/github/host.ts";
import { notifyRun } from "../src/engine/github/show/notify-run.ts";
import type { Job } from "../src/ports/job-queue.ts";

/** "Tell the operator's webhook about run X." */
export async function notify(
  host: Host,
  engine: RepoEngine,
  job: Extract<Job, { kind: "notify" }>,
): Promise<void> {
  await notifyRun(host, engine, job.run);
}
