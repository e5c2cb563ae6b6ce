import type { DatedFailure } from "../../core/failure/retry-policy.ts";
import type { EarlierFindings } from "../../core/findings/earlier-finding.ts";
import type { StageId } from "../../core/ids.ts";
import type { Plan } from "../../core/plan/plan.ts";
import { taskTexts } from "../../core/report/texts/task-texts.ts";
import type { Task } from "../../core/task/task.ts";
import type { Answer, TaskOutcome } from "../../core/task/task-events.ts";

/** Where a task was asked for and is answered: a thread on GitHub, or a terminal. Each of its acts can be repeated. */
export interface TaskChannel {
  /** Makes what the task reads readable on this machine, where another one may have written it down. */
  fetch(task: Task): Promise<void>;
  /** Shows the questions. `answers`: they were answered on the spot, as in a terminal. */
  ask(task: Task): Promise<{ readonly comment: number | null; readonly answers: readonly Answer[] | null }>;
  remind(task: Task): Promise<void>;
  /** Nobody answered: says which answers were taken. */
  sayDefaults(task: Task): Promise<void>;
  /** What earlier audits of the same kind found here. */
  earlierFindings(task: Task): Promise<EarlierFindings>;
  /** The plan that a revision is about, and how far its stages are; null when its run is over, or it is no revision. */
  planToAmend(task: Task): Promise<PlanToAmend | null>;
  /** Hands over what came of it: opens the plan, posts the answer, writes the review. */
  deliver(task: Task): Promise<TaskOutcome>;
  /** Nothing came of it. */
  giveUp(task: Task, why: WhyNot): Promise<TaskOutcome>;
}

export type WhyNot = {
  /** null: something inside Loom. */
  readonly reason: string | null;
  /** What a person can do about it; empty: nothing. */
  readonly next: string;
  /** Of the last session, where that is why. */
  readonly failure: DatedFailure | null;
};

export function refusedFor({ reason, next, failure }: WhyNot): Extract<TaskOutcome, { kind: "refused" }> {
  return {
    kind: "refused",
    reason: reason ?? taskTexts.broken(),
    next,
    ...(failure ? { failure: failure.kind } : {}),
  };
}

export type PlanToAmend = {
  readonly plan: Plan;
  readonly planText: string;
  /** Which of the run's plans it is, counted. */
  readonly version: number;
  /** The design document that it follows. */
  readonly design: string | null;
  /** Commands that each of its stages is held against besides its own checks. */
  readonly gate: readonly string[];
  /** Stages that can't change any more. */
  readonly settled: ReadonlySet<StageId>;
  readonly states: readonly { readonly id: string; readonly state: string }[];
  /** What is wrong with a plan that would take its place: finished stages have to stay. Empty: nothing. */
  readonly refuses: (planText: string) => readonly string[];
};
