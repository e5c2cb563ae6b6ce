import { InternalError } from "../errors.ts";
import type { Failure } from "../failure/failure.ts";
import type { Millis, Sha, Timestamp } from "../ids.ts";

/** How far an executing attempt has come. A restart goes on from here. */
export type Phase = "working" | "committed" | "verified" | "published";

export type StageState =
  | { readonly kind: "waiting-for-deps" }
  | { readonly kind: "queued"; readonly attempt: number; readonly notBefore: Millis | null }
  | {
      readonly kind: "executing";
      readonly attempt: number;
      readonly phase: Phase;
      readonly since: Timestamp;
      /** Names the worker that holds the attempt; a worker with another claim may write nothing. */
      readonly claim: string;
    }
  | { readonly kind: "waiting-for-input"; readonly attempt: number; readonly question: string }
  | { readonly kind: "needs-handoff"; readonly attempt: number; readonly reason: string }
  | { readonly kind: "completed-with-failures"; readonly attempt: number; readonly failure: Failure }
  | {
      readonly kind: "merge-conflict";
      readonly attempt: number;
      readonly onto: Sha;
      readonly files: readonly string[];
    }
  | { readonly kind: "merge-blocked"; readonly attempt: number; readonly failure: Failure }
  | { readonly kind: "blocked"; readonly failure: Failure }
  | { readonly kind: "completed"; readonly commit: Sha; readonly merged: Sha | null }
  | { readonly kind: "skipped"; readonly reason: string };

export type StageStateKind = StageState["kind"];

/**
 * Every legal move. Besides the moves of the worktree orchestrator that Loom descends from, the table has those that a
 * person's `retry`, `skip`, `take` and `cancel` need, those that close a failure over its dependents, and the ones that give up
 * when a conflict, a question or a merge stays open.
 */
export const STAGE_MOVES: Readonly<Record<StageStateKind, readonly StageStateKind[]>> = {
  "waiting-for-deps": ["queued", "skipped", "blocked"],
  queued: ["executing", "waiting-for-input", "skipped", "blocked"],
  executing: [
    "completed",
    "blocked",
    "needs-handoff",
    "waiting-for-input",
    "merge-conflict",
    "completed-with-failures",
    "merge-blocked",
  ],
  "waiting-for-input": ["executing", "queued", "blocked", "skipped"],
  "needs-handoff": ["queued", "waiting-for-input", "blocked", "skipped"],
  "completed-with-failures": ["queued", "executing", "waiting-for-input", "blocked", "skipped"],
  "merge-conflict": ["completed", "queued", "waiting-for-input", "blocked", "skipped"],
  "merge-blocked": ["queued", "completed", "waiting-for-input", "blocked", "skipped"],
  blocked: ["queued", "waiting-for-deps", "waiting-for-input", "completed", "skipped"],
  completed: [],
  skipped: [],
};

function canMove(from: StageStateKind, to: StageStateKind): boolean {
  return STAGE_MOVES[from].includes(to);
}

/** The only way a stage changes its kind of state. */
export function moveStage(stage: string, from: StageState, to: StageState): StageState {
  if (!canMove(from.kind, to.kind)) {
    throw new InternalError(`stage ${stage} can't move from ${from.kind} to ${to.kind}`);
  }
  return to;
}

/** Nothing further happens to the stage by itself. Blocked ones can be reopened by a person. */
export function hasEnded(state: StageState): boolean {
  return state.kind === "completed" || state.kind === "skipped" || state.kind === "blocked";
}

/** Whatever becomes of its pull request, nothing further happens to it, not even by a person. */
export function isSettled(state: StageState): boolean {
  return hasEnded(state) && state.kind !== "blocked";
}
