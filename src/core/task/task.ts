import type { Usage } from "../budget/usage.ts";
import type { TaskKind } from "../command/task-kinds.ts";
import type { RunSettings } from "../config/run-settings.ts";
import type { DatedFailure } from "../failure/retry-policy.ts";
import type { Millis, RunId, Sha, Timestamp } from "../ids.ts";
import type { Complexity } from "../plan/plan.ts";
import type { Origin } from "../run/origin.ts";
import type { DegradeCause } from "./task-cause.ts";
import type {
  Answer,
  AuditResult,
  BudgetLimit,
  FindingFates,
  PlanWish,
  Purpose,
  Question,
  Remark,
  TaskCreated,
  TaskOutcome,
} from "./task-events.ts";

export type TaskId = string;

/** All that is known about a task: a fold over its events. */
export type Task = {
  readonly id: TaskId;
  readonly version: number;
  readonly kind: TaskKind;
  readonly origin: Origin | null;
  readonly isPull: boolean;
  readonly wasClosed?: true | undefined;
  readonly comment: number | null;
  readonly role: string;
  readonly text: string;
  readonly title: string;
  readonly body: string;
  readonly thread: readonly Remark[];
  readonly line?: TaskCreated["line"];
  readonly target: string;
  readonly commit: Sha;
  readonly scope: TaskCreated["scope"];
  readonly run: RunId | null;
  readonly plan: PlanWish | null;
  readonly settings: RunSettings;
  readonly budgetUsd: number | null;
  readonly budgetBy?: readonly BudgetLimit[] | undefined;
  readonly timeoutSecs: number;
  readonly createdAt: Timestamp;
  /** When somebody last wrote about it. */
  readonly touchedAt: Timestamp;
  readonly claim: string | null;
  /** The session that runs, as far as is known. */
  readonly session: OpenSession | null;
  readonly sessions: number;
  /** The agent of any session ran without a sandbox. */
  readonly unconfined: boolean;
  readonly sessionsBy: ReadonlyMap<Purpose, number>;
  /** Since a session last brought something. */
  readonly failures: readonly DatedFailure[];
  /** Who was at it, in the order of their first session. */
  readonly harnesses: readonly string[];
  readonly exhausted: ReadonlyMap<string, Millis>;
  readonly usage: Usage | null;
  /** The same, by harness and model. */
  readonly usageBy: ReadonlyMap<string, Usage>;
  /** What counts against the budget. */
  readonly charged: {
    readonly usd: number;
    /** Tokens whose price nobody named are among it. */
    readonly isGuess: boolean;
    /** Sessions that were cut off, each with a part of the budget for what was not heard of it any more. */
    readonly cutOff: number;
  };
  readonly workedMs: number;
  readonly assessment: {
    readonly complexity: Complexity;
    readonly why: string;
    readonly questions: readonly Question[];
    /** How many answers had come before it that could not be taken. */
    readonly refusedBefore: number;
  } | null;
  readonly shownAt: Millis | null;
  /** The comment that holds the questions. */
  readonly shownIn: number | null;
  readonly remindedAt: Millis | null;
  /** What was said to each question so far; the last word on it counts. */
  readonly given: readonly (Answer | null)[];
  /** The same right after each comment that answered, by its name. */
  readonly heard: ReadonlyMap<string, readonly (Answer | null)[]>;
  /** The same once each question has its answer: from then on they are settled. */
  readonly answers: readonly Answer[] | null;
  readonly design: { readonly document: string; readonly notes: readonly string[] } | null;
  readonly drafts: readonly Draft[];
  readonly degraded: { readonly plan: string | null; readonly cause: DegradeCause } | null;
  readonly answer: string | null;
  readonly result: AuditResult | null;
  /** Set once what was found is being handed over. */
  readonly fates: FindingFates | null;
  readonly cancelledBy: string | null;
  readonly outcome: TaskOutcome | null;
  readonly finishedAt: Timestamp | null;
};

export type OpenSession = {
  readonly id: string;
  readonly purpose: Purpose;
  readonly marker: string;
  readonly agent: string;
  /** As far as it was told; null: not yet, or it is counted already. */
  readonly usage: Usage | null;
  /** Whoever held it died, and what it took was counted. */
  readonly isLost: boolean;
};

export type Draft = {
  readonly answer: string;
  readonly plan: string | null;
  readonly problems: readonly string[];
  readonly notes: readonly string[];
  readonly changes?: number;
};
