import { type RunCreated, type RunEvent, runEventSchema } from "../../src/core/run/events.ts";

const AT = "2031-05-06T07:08:09.000Z";

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
    settings: {
      harness: "command",
      harnessWins: false,
      maxParallel: 2,
      retries: 2,
      timeoutSecs: 60,
      noProgressSecs: 0,
      transientDelaysSecs: [1, 2],
      backoffSecs: { base: 1, max: 60 },
    },
    ...more,
  };
  // As the ledger gives it back: with everything that may be left out.
  return runEventSchema.parse(event) as RunCreated;
}

export function queued(stage: string, attempt = 1): RunEvent {
  return { type: "stage-queued", at: AT, stage, attempt, notBefore: null };
}
