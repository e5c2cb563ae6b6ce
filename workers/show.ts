import type { RepoEngine } from "../src/engine/github/host.ts";
import { showRun } from "../src/engine/github/show/show-run.ts";
import type { Job } from "../src/ports/job-queue.ts";

/** "Show how run X stands." */
export async function show(engine: RepoEngine, job: Extract<Job, { kind: "show" }>): Promise<void> {
  await showRun(engine, job.run);
}
