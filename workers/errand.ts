import { doErrand } from "../src/engine/hosted/errands/do-errand.ts";
import type { Host, RepoEngine } from "../src/engine/hosted/host.ts";
import type { Job } from "../src/ports/job-queue.ts";

/** "Go on with errand X." */
export async function errand(
  host: Host,
  engine: RepoEngine,
  job: Extract<Job, { kind: "errand" }>,
  signal: AbortSignal,
): Promise<void> {
  await doErrand(host, engine, job.errand, signal);
}
