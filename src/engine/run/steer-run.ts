import { UserError } from "../../core/errors.ts";
import { clearsByItself } from "../../core/failure/retry-policy.ts";
import { type RunId, type StageId, stageBranch } from "../../core/ids.ts";
import { pausedBy } from "../../core/report/texts/cause-texts.ts";
import type { RunEvent } from "../../core/run/events.ts";
import type { Run, StageRecord } from "../../core/run/run.ts";
import type { Engine } from "../engine.ts";
import { timestamp } from "../engine.ts";

/**
 * What people do to a run. Each is one write; whoever drives the run sees it at once, and a run that nobody drives
 * takes it up when it is resumed. `gesture` names what they did where it could be brought twice (`gestureOf`): the second
 * time nothing happens. On a terminal it has no name.
 */

export async function retryStages(
  engine: Engine,
  id: RunId,
  stages: readonly StageId[],
  by: string,
  gesture: string | null = null,
): Promise<void> {
  await steer(engine, id, gesture, (run) => stages.map((stage) => reopen(engine, run, stage, by)));
}

function reopen(engine: Engine, run: Run, stage: StageId, by: string): RunEvent {
  const { state } = recordOf(run, stage);
  assertOpen(run);
  if (state.kind === "blocked" && state.failure.kind === "dependency") {
    throw new UserError(`${stage} waits for another stage: ${state.failure.message}`, {
      next: "Retry that one; this one follows by itself.",
    });
  }
  if (state.kind !== "blocked")
    throw new UserError(`${stage} is ${state.kind}, so there is nothing to retry.`, {
      next: ["Only a blocked stage can be retried; ", { verb: "status", run: run.id }, " shows them."],
    });
  const afresh = state.failure.kind === "branch-taken" || state.failure.kind === "pull-closed";
  return { type: "stage-reopened", at: timestamp(engine), stage, by, ...(afresh ? { afresh } : {}) };
}

export async function skipStage(
  engine: Engine,
  id: RunId,
  stage: StageId,
  by: string,
  gesture: string | null = null,
): Promise<void> {
  await steer(engine, id, gesture, (run) => {
    const { state } = recordOf(run, stage);
    assertOpen(run);
    if (state.kind === "executing") {
      throw new UserError(`${stage} is being worked on.`, { next: "Wait for it to end, or cancel the run." });
    }
    if (state.kind === "completed" || state.kind === "skipped")
      throw new UserError(`${stage} is ${state.kind} already.`);
    const events: RunEvent[] = [];
    // Reopening first lets the stages behind it run: a skipped stage counts as taken care of.
    if (state.kind === "blocked") events.push({ type: "stage-reopened", at: timestamp(engine), stage, by });
    events.push({ type: "stage-skipped", at: timestamp(engine), stage, reason: `Skipped by ${by}.` });
    return events;
  });
}

export async function cancelRun(
  engine: Engine,
  id: RunId,
  by: string,
  gesture: string | null = null,
): Promise<void> {
  await steer(engine, id, gesture, (run) => {
    if (run.cancelledBy !== null && run.status === "running") return [];
    assertOpen(run);
    return [{ type: "cancel-requested", at: timestamp(engine), by }];
  });
}

export async function answerStage(
  engine: Engine,
  id: RunId,
  stage: StageId,
  answer: string,
  by: string,
  gesture: string | null = null,
): Promise<void> {
  await steer(engine, id, gesture, (run) => {
    const { state, takenBy } = recordOf(run, stage);
    assertOpen(run);
    if (state.kind !== "waiting-for-input")
      throw new UserError(`${stage} has not asked anything: it is ${state.kind}.`);
    if (takenBy !== null)
      throw new UserError(`${stage} has not asked anything: ${takenBy} does it.`, { next: state.question });
    return [{ type: "input-answered", at: timestamp(engine), stage, attempt: state.attempt, by, answer }];
  });
}

/** A person does the stage: its agent ends, and what they push to its branch is proved like any other work. */
export async function takeStage(
  engine: Engine,
  id: RunId,
  stage: StageId,
  by: string,
  gesture: string | null = null,
): Promise<string> {
  const branch = stageBranch(id, stage);
  await steer(engine, id, gesture, (run) => {
    const { state, takenBy } = recordOf(run, stage);
    assertOpen(run);
    if (state.kind === "waiting-for-input" && takenBy === by) return [];
    if (state.kind === "completed" || state.kind === "skipped")
      throw new UserError(`${stage} is ${state.kind} already.`);
    if (
      state.kind === "waiting-for-deps" ||
      (state.kind === "blocked" && state.failure.kind === "dependency")
    )
      throw new UserError(`${stage} still waits for the stages it depends on.`, {
        next: "Take it when they are done, or take the one that is in the way.",
      });
    return [{ type: "stage-taken", at: timestamp(engine), stage, by, branch }];
  });
  return branch;
}

/** Nothing new starts and nothing is merged; what runs is finished. */
export async function pauseRun(
  engine: Engine,
  id: RunId,
  by: string,
  gesture: string | null = null,
): Promise<void> {
  await steer(engine, id, gesture, (run) => {
    assertOpen(run);
    if (run.pausedBy)
      throw new UserError(`The run ${id} is paused already, by ${pausedBy(run.pausedBy)}.`, {
        next: [{ verb: "resume", run: id }, " lets it go on."],
      });
    return [{ type: "run-paused", at: timestamp(engine), cause: { kind: "person", by } }];
  });
}

/** Puts an ended run away: its documents stay in git, Loom forgets the rest. */
export async function recordArchived(
  engine: Engine,
  id: RunId,
  by: string,
  gesture: string | null = null,
): Promise<void> {
  await steer(engine, id, gesture, (run) => {
    assertEnded(run);
    return run.archived ? [] : [{ type: "run-archived", at: timestamp(engine), by }];
  });
}

/**
 * Goes on with a run; false where there was nothing to go on with. What was held up from outside is tried again; what failed
 * by itself needs `retry`.
 */
export async function resumeRun(
  engine: Engine,
  id: RunId,
  by: string,
  gesture: string | null = null,
): Promise<boolean> {
  return steer(engine, id, gesture, (run) => {
    if (run.status === "completed" || run.status === "cancelled") return [];
    const at = timestamp(engine);
    const unpaused: RunEvent[] = run.pausedBy ? [{ type: "run-unpaused", at, by }] : [];
    const reopened = [...run.stages].flatMap(([stage, { state }]): RunEvent[] => {
      if (state.kind !== "blocked" && state.kind !== "merge-blocked") return [];
      if (!clearsByItself(state.failure.kind)) return [];
      // Whoever drove the run may have died between the two steps to a blocked stage.
      const blocked: RunEvent[] =
        state.kind === "blocked" ? [] : [{ type: "stage-blocked", at, stage, failure: state.failure }];
      return [...blocked, { type: "stage-reopened", at, stage, by }];
    });
    // Where nothing can go on, saying that it does would be a lie.
    return run.status === "running" || reopened.length > 0
      ? [...unpaused, { type: "run-resumed", at, by }, ...reopened]
      : [];
  });
}

/** What came of something that changed nothing by itself: it is not to be done later, when it might (T33). */
export async function noteHeard(
  engine: Engine,
  id: RunId,
  gesture: string,
  how: "done" | "refused",
): Promise<void> {
  const heard = {
    type: "command-heard",
    at: timestamp(engine),
    gesture,
    refused: how === "refused",
  } as const;
  await engine.runs.write(id, ({ gestures }) => (gestures.get(gesture) === how ? null : [heard]));
}

/** Whether it came to anything, now or when it was done before. */
async function steer(
  engine: Engine,
  id: RunId,
  gesture: string | null,
  events: (run: Run) => RunEvent[],
): Promise<boolean> {
  let isDone = false;
  await engine.runs.write(id, (run) => {
    const before = gesture === null ? undefined : run.gestures.get(gesture);
    if (before !== undefined) {
      isDone = before === "done";
      return [];
    }
    const due = events(run);
    isDone = due.length > 0;
    return gesture === null
      ? due
      : [...due, { type: "command-heard", at: timestamp(engine), gesture, refused: false }];
  });
  return isDone;
}

export function assertEnded({ id, status }: Run): void {
  if (status === "running")
    throw new UserError(`The run ${id} has not ended.`, { next: [{ verb: "cancel", run: id }, " ends it."] });
}

function assertOpen(run: Run): void {
  if (run.status === "completed") throw new UserError(`The run ${run.id} is completed.`);
  if (run.status === "cancelled")
    throw new UserError(`The run ${run.id} was cancelled.`, {
      next: [{ verb: "start-over" }, " starts it over."],
    });
}

function recordOf(run: Run, stage: StageId): StageRecord {
  const record = run.stages.get(stage);
  if (record) return record;
  throw new UserError(`The run ${run.id} has no stage ${stage}.`, {
    next: `Its stages: ${run.graph.order.slice(0, 20).join(", ")}.`,
    exitCode: 2,
  });
}
