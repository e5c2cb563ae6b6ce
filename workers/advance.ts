import type { Engine } from "../src/engine/engine.ts";
import { advanceRun } from "../src/engine/run/advance-run.ts";
import type { Job } from "../src/ports/job-queue.ts";

/** "Look at run X." */
export async function advance(engine: Engine, job: Extract<Job, { kind: "advance" }>): Promise<void> {
  await advanceRun(engine, job.run);
}
