import { describe, expect, it } from "vitest";
import { isForgettable, KEEP_TASKS_MS } from "../../../src/core/task/is-forgettable.ts";
import { ASKED_AT, aTask } from "../../support/a-task.ts";

const MONTH_LATER = Date.parse(ASKED_AT) + KEEP_TASKS_MS;
const finished = { type: "task-finished", outcome: { kind: "answered" } };

describe("a task is forgotten", () => {
  it("30 days after its end, and not before", () => {
    const task = aTask("ask", [finished]);
    expect([isForgettable(task, MONTH_LATER - 1), isForgettable(task, MONTH_LATER)]).toEqual([false, true]);
  });

  it("when nobody came back to it in a terminal for as long, but never on GitHub while people may answer", () => {
    const left = aTask("review", [], { origin: null });
    expect([isForgettable(left, MONTH_LATER - 1), isForgettable(left, MONTH_LATER)]).toEqual([false, true]);
    const claimed = { type: "task-claimed", at: new Date(MONTH_LATER).toISOString() };
    expect(isForgettable(aTask("plan", [claimed], { origin: null }), MONTH_LATER)).toBe(false);
    expect(isForgettable(aTask("plan"), MONTH_LATER)).toBe(false);
  });
});
