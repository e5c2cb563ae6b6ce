import type { RunId, StageId, Timestamp } from "../../src/core/ids.ts";
import { stageBranch } from "../../src/core/ids.ts";
import type { RunCreated, RunEvent } from "../../src/core/run/events.ts";
import { branch, leaf } from "../../src/core/verify/verdict.ts";
import { planOf, type Shape } from "../graphs.ts";

/** As object names and ids are long, so is what a ledger keeps of them. */
export const SHA = "a".repeat(40);
const ID = "8f14e45f-ceea-467f-a8f5-5c1d3b0f7a11";

const PASSED = branch("checks", [
  leaf("passed", "npm test", "exited with 0"),
  leaf("passed", "out", "exists"),
]);

/** A run on GitHub that Loom merges by itself, approved when it was asked for. */
export function createdRun(run: RunId, shape: Shape, maxParallel: number, at: Timestamp): RunCreated {
  return {
    type: "run-created",
    at,
    run,
    generation: 0,
    planPath: "PLAN.md",
    planText: planOf(shape, maxParallel),
    target: "main",
    base: SHA,
    gate: null,
    settings: {
      harness: "command",
      harnessWins: false,
      maxParallel,
      retries: 2,
      timeoutSecs: 3600,
      noProgressSecs: 600,
      transientDelaysSecs: [],
      backoffSecs: { base: 1, max: 1 },
    },
    origin: {
      installation: 1,
      repo: { id: 1, owner: "ada", name: "project" },
      issue: 1,
      title: "A wish",
      by: "ada",
      byId: 1,
    },
    merge: { mode: "auto", method: null, stack: "chained", deleteBranches: true },
  };
}

/** The steps of a stage that goes well, in this order; each is one append by whoever works on it. */
export const STEPS = [
  "attempt-started",
  "session-started",
  "session-ended",
  "attempt-committed",
  "attempt-verified",
  "stage-published",
  "merge-claimed",
  "merge-proved",
  "merge-started",
  "stage-merged",
] as const;

export type StageStep = (typeof STEPS)[number];

export type StageAt = { readonly run: RunId; readonly stage: StageId; readonly at: Timestamp };

export function eventOf(step: StageStep, { run, stage, at }: StageAt): RunEvent {
  const common = { at, stage, attempt: 1 };
  switch (step) {
    case "attempt-started":
      return { type: step, ...common, claim: `${run}/${stage}`, base: SHA, stack: [], sandbox: "bubblewrap" };
    case "session-started":
      return {
        type: step,
        ...common,
        session: ID,
        harness: "command",
        prompt: "stage",
        model: null,
        marker: ID,
        tree: `/var/lib/loom/workers/worker-1/r1/${run}/1`,
      };
    case "session-ended":
      return {
        type: step,
        ...common,
        session: ID,
        state: "completed",
        exitCode: 0,
        signal: null,
        durationMs: 360_000,
        usage: null,
      };
    case "attempt-committed":
      return { type: step, ...common, commit: SHA, base: SHA, files: [`out/${stage}`], stalled: false };
    case "attempt-verified":
      return { type: step, ...common, commit: SHA, verdict: PASSED };
    case "stage-published":
      return { type: step, ...common, commit: SHA, branch: stageBranch(run, stage), pr: 1 };
    case "merge-claimed":
      return { type: step, ...common, claim: `${run}/${stage}` };
    case "merge-proved":
      return { type: step, ...common, commit: SHA, onto: SHA, with: 7, verdict: PASSED };
    case "merge-started":
      return { type: step, ...common, commit: SHA, onto: SHA };
    case "stage-merged":
      return { type: step, ...common, commit: SHA, merged: SHA };
  }
}

/** The whole ledger of a run in which one stage after the other went well, one list for each append. */
export function* livesOf(run: RunId, shape: Shape, at: Timestamp): Generator<RunEvent[]> {
  yield [createdRun(run, shape, shape.levels[0]?.length ?? 1, at)];
  for (const stage of shape.levels.flat()) {
    yield [{ type: "stage-queued", at, stage, attempt: 1, notBefore: null }];
    for (const step of STEPS) yield [eventOf(step, { run, stage, at })];
  }
}
