import { isPlanning, type TaskKind } from "../../src/core/command/task-kinds.ts";
import { evolveTask } from "../../src/core/task/evolve-task.ts";
import type { Task } from "../../src/core/task/task.ts";
import type { PlanWish, TaskCreated, TaskEvent } from "../../src/core/task/task-events.ts";

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

/** The first event of a task on issue 1. */
export function taskCreated(kind: TaskKind, more: Partial<TaskCreated> = {}): TaskCreated {
  return {
    type: "task-created",
    at: ASKED_AT,
    task: `${kind}-1-7`,
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

/** A task after these events, which are given without their time and claim. */
export function aTask(
  kind: TaskKind,
  events: readonly Record<string, unknown>[] = [],
  more: Partial<TaskCreated> = {},
): Task {
  const filled = events.map((event) => ({ at: ASKED_AT, claim: "c1", ...event }) as unknown as TaskEvent);
  const task = evolveTask(null, [taskCreated(kind, more), ...filled]);
  if (!task) throw new Error("no task came of these events");
  return task;
}
