import { runStage } from "../src/engine/attempt/run-stage.ts";
import type { Engine } from "../src/engine/engine.ts";
import type { Job } from "../src/ports/job-queue.ts";

/** "Do attempt n of stage Y of run X." */
export async function stage(
  engine: Engine,
  job: Extract<Job, { kind: "stage" }>,
  signal: AbortSignal,
): Promise<void> {
  await runStage(engine, job, signal);
}
