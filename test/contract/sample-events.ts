import { type RunCreated, type RunEvent, runEventSchema } from "../../src/core/run/events.ts";
import { type TaskCreated, type TaskEvent, taskEventSchema } from "../../src/core/task/task-events.ts";

/** Events of one kind of ledger, for suites that hold for all kinds. */
export type LedgerSample<E> = {
  readonly one: string;
  readonly withArticle: string;
  first(id: string, text?: string): E;
  later(name: string, n?: number): E;
  /** What `later` was given. */
  read(event: E): { readonly name: string; readonly n: number };
};

const AT = "2031-05-06T07:08:09.000Z";
const SETTINGS = {
  harness: "command",
  harnessWins: false,
  maxParallel: 2,
  retries: 2,
  timeoutSecs: 60,
  noProgressSecs: 0,
  transientDelaysSecs: [1, 2],
  backoffSecs: { base: 1, max: 60 },
};

export function created(run: string, more: Partial<RunCreated> = {}): RunCreated {
  const event = {
    type: "run-created",
    at: AT,
    run,
    generation: 0,
    planPath: "PLAN.md",
    planText: "# A plan",
    target: "main",
    base: "a".repeat(40),
    gate: null,
    settings: SETTINGS,
    ...more,
  };
  // As the ledger gives it back: with everything that may be left out.
  return runEventSchema.parse(event) as RunCreated;
}

export function queued(stage: string, attempt = 1): RunEvent {
  return { type: "stage-queued", at: AT, stage, attempt, notBefore: null };
}

export function taskCreated(task: string, more: Partial<TaskCreated> = {}): TaskCreated {
  const event = {
    type: "task-created",
    at: AT,
    task,
    kind: "ask",
    origin: null,
    isPull: false,
    comment: null,
    role: "write",
    text: "How is this built?",
    title: "",
    body: "",
    thread: [],
    target: "main",
    commit: "a".repeat(40),
    scope: null,
    run: null,
    plan: null,
    settings: SETTINGS,
    budgetUsd: null,
    timeoutSecs: 600,
    ...more,
  };
  return taskEventSchema.parse(event) as TaskCreated;
}

export const RUN_SAMPLE: LedgerSample<RunEvent> = {
  one: "run",
  withArticle: "a run",
  first: (id, planText) => created(id, planText === undefined ? {} : { planText }),
  later: queued,
  read(event) {
    if (event.type !== "stage-queued") throw new Error("another event than was written");
    return { name: event.stage, n: event.attempt };
  },
};

export const TASK_SAMPLE: LedgerSample<TaskEvent> = {
  one: "task",
  withArticle: "a task",
  first: (id, text) => taskCreated(id, text === undefined ? {} : { text }),
  later: (harness, until = 1) => ({ type: "harness-exhausted", at: AT, claim: "c1", harness, until }),
  read(event) {
    if (event.type !== "harness-exhausted") throw new Error("another event than was written");
    return { name: event.harness, n: event.until };
  },
};
