import type { Errand } from "../../src/core/errand/errand.ts";
import type { ErrandCreated, ErrandEvent, PlanWish } from "../../src/core/errand/errand-events.ts";
import { type ErrandKind, isPlanning } from "../../src/core/errand/errand-kinds.ts";
import { evolveErrand } from "../../src/core/errand/evolve-errand.ts";

export const ASKED_AT = "2026-03-01T10:00:00.000Z";

export const A_WISH: PlanWish = {
  workflow: "standard",
  depth: "standard",
  mode: "guided",
  degraded: "require-approval",
  maxStages: 100,
  remindAfterSecs: 3_600,
  defaultAfterSecs: 7_200,
  harness: null,
  budgetUsd: null,
  path: null,
  protectedPaths: [],
  gate: [],
  disabledAgents: [],
};

/** The first event of an errand on issue 1. */
export function errandCreated(kind: ErrandKind, more: Partial<ErrandCreated> = {}): ErrandCreated {
  return {
    type: "errand-created",
    at: ASKED_AT,
    errand: `${kind}-1-7`,
    kind,
    origin: {
      installation: 1,
      repo: { id: 2, owner: "ada", name: "tools" },
      issue: 1,
      title: "Count words",
      by: "wes",
      byId: 3,
    },
    isPull: false,
    comment: 7,
    role: "write",
    text: "",
    title: "Count words",
    body: "It should say which words a text uses most.",
    thread: [],
    target: "main",
    commit: "c".repeat(40),
    scope: null,
    run: null,
    plan: isPlanning(kind) ? A_WISH : null,
    settings: {
      harness: "claude",
      harnessWins: false,
      maxParallel: 4,
      retries: 2,
      timeoutSecs: 14_400,
      planTimeoutSecs: 3_600,
      noProgressSecs: 1_800,
      transientDelaysSecs: [0, 600, 3_600],
      backoffSecs: { base: 30, max: 300 },
    },
    budgetUsd: 2,
    budgetBy: [isPlanning(kind) ? "planner.budget_usd" : "commands.budget_usd"],
    timeoutSecs: 1_800,
    ...more,
  };
}

/** An errand after these events, which are given without their time and claim. */
export function anErrand(
  kind: ErrandKind,
  events: readonly Record<string, unknown>[] = [],
  more: Partial<ErrandCreated> = {},
): Errand {
  const filled = events.map((event) => ({ at: ASKED_AT, claim: "c1", ...event }) as unknown as ErrandEvent);
  const errand = evolveErrand(null, [errandCreated(kind, more), ...filled]);
  if (!errand) throw new Error("no errand came of these events");
  return errand;
}
