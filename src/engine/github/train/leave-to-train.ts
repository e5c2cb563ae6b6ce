import type { Job } from "../../../ports/job-queue.ts";
import type { RepoEngine } from "../host.ts";
import { mergesByTrain } from "./claim-due.ts";
import { isGivenUp } from "./give-up-on-train.ts";
import { callTrain } from "./train-calls.ts";

/** True when the stage is merged by the train; else whoever has the job merges it. */
export async function leaveToTrain(
  engine: RepoEngine,
  { run: id, stage }: Extract<Job, { kind: "merge" }>,
): Promise<boolean> {
  const run = await engine.runs.load(id);
  const record = run?.stages.get(stage);
  if (!run || !record || !mergesByTrain(run, record)) return false;
  if (await isGivenUp(engine, run.target)) return false;
  await callTrain(engine, run);
  return true;
}
