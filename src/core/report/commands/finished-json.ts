import type { Millis, Sha, StageId } from "../../ids.ts";
import type { Run, StageRecord } from "../../run/run.ts";
import type { StageStateKind } from "../../run/stage-state.ts";
import type { RunEndStatus } from "../terminal/run-summary.ts";

/** The last line of `loom run --json`. */
export type FinishedJson = {
  readonly type: "run-finished";
  readonly run: string;
  /** A run that waits for an answer is blocked, to a script. */
  readonly status: Exclude<RunEndStatus, "waiting">;
  readonly stages: Readonly<Record<StageId, FinishedStage>>;
  readonly elapsedMs: Millis;
};

export type FinishedStage = {
  readonly state: StageStateKind;
  readonly attempts: number;
  /** The stage's own commit. */
  readonly commit: Sha | null;
  /** The commit on the target that holds it. */
  readonly merged: Sha | null;
};

export function finishedJson(run: Run, status: RunEndStatus, elapsedMs: Millis): FinishedJson {
  const stages = Object.fromEntries([...run.stages].map(([id, record]) => [id, finishedStage(record)]));
  return {
    type: "run-finished",
    run: run.id,
    status: status === "waiting" ? "blocked" : status,
    stages,
    elapsedMs,
  };
}

export function finishedStage({ state, attempts, commit }: StageRecord): FinishedStage {
  const completed = state.kind === "completed" ? state : null;
  return {
    state: state.kind,
    attempts,
    commit: completed?.commit ?? commit,
    merged: completed?.merged ?? null,
  };
}
