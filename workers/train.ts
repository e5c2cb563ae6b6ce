import type { RepoEngine } from "../src/engine/github/host.ts";
import { runTrain } from "../src/engine/github/train/run-train.ts";
import type { Job } from "../src/ports/job-queue.ts";

/** "Merge into branch B what is due." */
export async function train(
  engine: RepoEngine,
  job: Extract<Job, { kind: "train" }>,
  signal: AbortSignal,
): Promise<void> {
  await runTrain(engine, job.target, signal);
}
