import { messageOf, needsPerson, StoreTrouble } from "../../core/errors.ts";
import { failures } from "../../core/report/texts/failure-texts.ts";
import { hasEnded } from "../../core/run/stage-state.ts";
import type { Job } from "../../ports/job-queue.ts";
import { heldBy } from "../attempt/run-stage.ts";
import type { Engine } from "../engine.ts";
import { timestamp } from "../engine.ts";

/** A job that failed every time is a stage that a person has to look at; the rest of the run goes on. */
export async function giveUpOnJob(engine: Engine, job: Job, error: unknown): Promise<void> {
  if ((job.kind !== "stage" && job.kind !== "merge") || error instanceof StoreTrouble) throw error;
  await engine.runs.write(job.run, (run) => {
    const state = run.stages.get(job.stage)?.state;
    if (!state || hasEnded(state) || state.kind === "waiting-for-deps") return null;
    // Of an attempt for a plan that has been changed since, there is nothing left to give up on.
    if (job.kind === "stage" && "attempt" in state && state.attempt !== job.attempt) return null;
    return [
      {
        type: "stage-blocked",
        at: timestamp(engine),
        stage: job.stage,
        failure: needsPerson(error) ? heldBy(error) : failures.infrastructure(messageOf(error)),
      },
    ];
  });
  await engine.queue.enqueue({ kind: "advance", run: job.run });
}
