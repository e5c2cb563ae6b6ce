import {
  type ErrandCreated,
  type ErrandEvent,
  errandEventSchema,
} from "../../src/core/errand/errand-events.ts";
import { type RunCreated, type RunEvent, runEventSchema } from "../../src/core/run/events.ts";

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

export function errandCreated(errand: string, more: Partial<ErrandCreated> = {}): ErrandCreated {
  const event = {
    type: "errand-created",
    at: AT,
    errand,
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
  return errandEventSchema.parse(event) as ErrandCreated;
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

export const ERRAND_SAMPLE: LedgerSample<ErrandEvent> = {
  one: "errand",
  withArticle: "an errand",
  first: (id, text) => errandCreated(id, text === undefined ? {} : { text }),
  later: (harness, until = 1) => ({ type: "harness-exhausted", at: AT, claim: "c1", harness, until }),
  read(event) {
    if (event.type !== "harness-exhausted") throw new Error("another event than was written");
    return { name: event.harness, n: event.until };
  },
};
