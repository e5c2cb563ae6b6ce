import type { Plan } from "../plan/plan.ts";
import type { Roster } from "../roster/roster.ts";
import type { Task } from "../task/task.ts";
import type { Purpose } from "../task/task-events.ts";

export type PlanningPurpose = Exclude<Purpose, "answer" | "audit">;

export type PlanningInput = {
  readonly task: Task;
  readonly purpose: PlanningPurpose;
  /** The codebase in facts: folders, languages, tests, tools. */
  readonly map: string;
  readonly knowledge: readonly { readonly path: string; readonly text: string }[];
  readonly roster: Roster;
  readonly limits: PlanningLimits;
  /** The last draft and what is wrong with it. */
  readonly draft: { readonly answer: string; readonly problems: readonly string[] } | null;
  readonly design: string | null;
  /** A plan that is to be changed, and how far its stages are. */
  readonly amend: {
    readonly plan: Plan;
    /** What its document says besides. */
    readonly words: string;
    readonly states: readonly { readonly id: string; readonly state: string }[];
    readonly wish: string;
  } | null;
};

export type PlanningLimits = {
  readonly maxStages: number;
  readonly maxParallel: number;
  readonly retries: number;
  readonly timeoutSecs: number;
  readonly noProgressSecs: number;
  /** The runner label that the repository uses itself; null: none. */
  readonly runsOn: string | null;
  readonly budgetUsd: number | null;
  readonly protectedPaths: readonly string[];
  /** Commands that prove the project as a whole, wherever they come from; Loom runs them after every stage. */
  readonly gate: readonly string[];
};
