import type { Job } from "../../../ports/job-queue.ts";
import type { RepoEngine } from "../host.ts";
import { ridesTrain } from "./board.ts";
import { callTrain } from "./line.ts";

/** True when the stage is merged by the train; else whoever has the job merges it. */
export async function waitForTrain(
  engine: RepoEngine,
  { run: id, stage }: Extract<Job, { kind: "merge" }>,
): Promise<boolean> {
  const run = await engine.book.load(id);
  const record = run?.stages.get(stage);
  if (!run || !record || !ridesTrain(run, record)) return false;
  await callTrain(engine, run);
  return true;
}
