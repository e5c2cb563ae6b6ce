import type { RepoEngine } from "../src/engine/hosted/host.ts";
import { runTrain } from "../src/engine/hosted/train/run-train.ts";
import type { Job } from "../src/ports/job-queue.ts";

/** "Merge into branch B what is due." */
export async function train(
  engine: RepoEngine,
  job: Extract<Job, { kind: "train" }>,
  signal: AbortSignal,
): Promise<void> {
  await runTrain(engine, job.target, signal);
}
