import type { Engine } from "../src/engine/engine.ts";
import { mergeStage } from "../src/engine/merge/merge-stage.ts";
import type { Job } from "../src/ports/job-queue.ts";

/** "Merge stage Y of run X." */
export async function merge(
  engine: Engine,
  job: Extract<Job, { kind: "merge" }>,
  signal: AbortSignal,
): Promise<void> {
  await mergeStage(engine, job, signal);
}
