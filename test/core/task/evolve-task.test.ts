import { describe, expect, it } from "vitest";
import { evolveTask, TOLD_SHARE } from "../../../src/core/task/evolve-task.ts";
import type { Task } from "../../../src/core/task/task.ts";
import { type TaskEvent, taskEventSchema } from "../../../src/core/task/task-events.ts";
import { taskCreated } from "../../contract/sample-events.ts";

const AT = "2031-05-06T07:08:09.000Z";
const claim = "w1";

function after(...events: TaskEvent[]): Task {
  const task = evolveTask(null, [taskCreated("plan-1", { kind: "plan" }), ...events]);
  if (!task) throw new Error("no task came out");
  return task;
}

const started = (session: string): TaskEvent => ({
  type: "session-started",
  at: AT,
  claim,
  session,
  purpose: "draft",
  harness: "claude",
  model: "big",
  promptTokens: 10,
  prefixHash: "f00",
  marker: `mark-${session}`,
});
const ended = (
  session: string,
  state: "completed" | "crashed",
  costUsd: number | null,
  model: string | null = "big",
): TaskEvent => ({
  type: "session-ended",
  at: AT,
  claim,
  session,
  state,
  harness: "claude",
  model,
  durationMs: 1500,
  usage: { inputTokens: 100, outputTokens: 10, costUsd },
});
const failed = (message: string): TaskEvent => ({
  type: "session-failed",
  at: AT,
  claim,
  failure: { kind: "crashed", message, evidence: null },
});

describe("a task", () => {
  it("begins with what was asked, and counts its events", () => {
    const task = after({ type: "task-claimed", at: AT, claim });
    expect(task).toMatchObject({
      id: "plan-1",
      version: 2,
      kind: "plan",
      claim,
      createdAt: AT,
      target: "main",
      outcome: null,
    });
    expect(task).not.toHaveProperty("type");
    expect(task).not.toHaveProperty("task");
  });

  it("is created once, and before anything else", () => {
    expect(() => after(taskCreated("plan-1"))).toThrow("task plan-1 was created twice");
    expect(() => evolveTask(null, [failed("x")])).toThrow(
      "the ledger starts with session-failed instead of task-created",
    );
  });

  it("is the same whether it is folded at once or step by step, and leaves what it was given", () => {
    const events = [taskCreated("plan-1"), started("s1"), ended("s1", "crashed", 1), failed("x")];
    let step: Task | null = null;
    for (const event of events) {
      const before: Task | null = step;
      const copy = structuredClone(before);
      step = evolveTask(before, [event]);
      expect(before).toEqual(copy);
    }
    expect(step).toEqual(evolveTask(null, events));
    expect(evolveTask(step, [])).toBe(step);
  });

  it("adds up what its sessions used, by harness and model, and how long they worked", () => {
    const task = after(
      started("s1"),
      ended("s1", "completed", 0.5),
      started("s2"),
      ended("s2", "completed", 0.25),
      started("s3"),
      ended("s3", "completed", null, null),
    );
    expect(task).toMatchObject({
      sessions: 3,
      session: null,
      workedMs: 4500,
      usage: { inputTokens: 300, outputTokens: 30, costUsd: 0.75 },
    });
    expect([...task.usageBy]).toEqual([
      ["claude/big", { inputTokens: 200, outputTokens: 20, costUsd: 0.75 }],
      ["claude", { inputTokens: 100, outputTokens: 10, costUsd: null }],
    ]);
  });

  it("counts what a session told of itself once, be it that it ends or that its worker dies", () => {
    const usage = { inputTokens: 100, outputTokens: 10, costUsd: 0.5 };
    const spent: TaskEvent = { type: "session-spent", at: AT, claim: "w1", session: "s1", usage };
    const claimed: TaskEvent = { type: "task-claimed", at: AT, claim: "w2" };
    const whole = after(started("s1"), spent, ended("s1", "completed", 0.5));
    expect([whole.usage, whole.charged]).toEqual([usage, { usd: 0.5, isGuess: false, cutOff: 0 }]);
    const lost = after(started("s1"), spent, claimed, spent, claimed);
    expect(lost.usage).toEqual(usage);
    expect([...lost.usageBy.keys()]).toEqual(["claude/big"]);
    // Its agent names the cost, so that no token is charged by a guess.
    const usd = 0.5 + TOLD_SHARE * (lost.budgetUsd ?? 0);
    expect(lost.charged).toEqual({ usd, isGuess: false, cutOff: 1 });
  });

  it("knows who was at it, also of those who said nothing about it", () => {
    const silent: TaskEvent = { ...started("s2"), harness: "codex", model: null } as TaskEvent;
    expect(after(started("s1"), silent, started("s3")).harnesses).toEqual(["claude", "codex"]);
  });

  it("counts failures since a session last brought something", () => {
    const broken = [started("s1"), ended("s1", "crashed", null), failed("one"), failed("two")];
    expect(after(...broken).failures.map(({ message, at }) => [message, at])).toEqual([
      ["one", Date.parse(AT)],
      ["two", Date.parse(AT)],
    ]);
    const unread = [...broken, started("s2"), ended("s2", "completed", null)];
    expect(after(...unread).failures).toHaveLength(2);
    const drafted = { type: "plan-drafted", answer: "", plan: null, problems: ["no"], notes: [] } as const;
    expect(
      after(...unread, { ...drafted, at: AT, claim: "w1", problems: ["no"], notes: [] }).failures,
    ).toEqual([]);
  });

  it("knows the session that runs, also when another worker takes over, and when an older one ends late", () => {
    const task = after(started("s1"), { type: "task-claimed", at: AT, claim: "w2" });
    expect(task.session).toEqual({
      id: "s1",
      purpose: "draft",
      marker: "mark-s1",
      agent: "claude/big",
      usage: null,
      isLost: true,
    });
    expect(after(started("s1"), started("s2"), ended("s1", "crashed", null)).session?.id).toBe("s2");
  });

  it("takes the first answers to its questions", () => {
    const answered = (text: string): TaskEvent => ({
      type: "questions-answered",
      at: AT,
      answers: [{ text, by: "ann" }],
    });
    const task = after(
      {
        type: "task-assessed",
        at: AT,
        claim,
        complexity: "medium",
        why: "two parts",
        questions: [{ text: "Which?", options: ["a", "b"], usual: "a", why: "both are there" }],
      },
      { type: "questions-shown", at: AT, claim, comment: 7 },
      { type: "questions-reminded", at: AT, claim },
      answered("b"),
      answered("a"),
    );
    expect(task).toMatchObject({
      assessment: { complexity: "medium", why: "two parts" },
      shownAt: Date.parse(AT),
      remindedAt: Date.parse(AT),
      answers: [{ text: "b", by: "ann" }],
    });
  });

  it("takes the last word on each question until all have one, and no default for somebody's word", () => {
    const question = { text: "Which?", options: ["a", "b"], usual: "a", why: "" };
    const assessed = { type: "task-assessed", at: AT, claim, complexity: "medium", why: "" } as const;
    const said = (...answers: ([string, string | null] | null)[]): TaskEvent => ({
      type: "questions-answered",
      at: AT,
      answers: answers.map((answer) => answer && { text: answer[0], by: answer[1] }),
    });
    const asked = { ...assessed, questions: [question, question, question] };
    const half = after(asked, said(["b", "ann"]), said(["a", "bob"], null, ["b", "bob"]));
    expect(half.given).toEqual([{ text: "a", by: "bob" }, null, { text: "b", by: "bob" }]);
    expect(half.answers).toBeNull();
    const events = [said(["b", "ann"]), said(["a", null], ["a", null], ["a", null])];
    const whole = after(asked, ...events, said(["b", "late"], ["b", "late"], ["b", "late"]));
    expect(whole.answers).toEqual([
      { text: "b", by: "ann" },
      { text: "a", by: null },
      { text: "a", by: null },
    ]);
  });

  it("keeps designs, drafts, answers and findings as they were written", () => {
    const result = { summary: "fine", findings: [], earlier: [], notes: [] };
    const task = after(
      { type: "harness-exhausted", at: AT, claim, harness: "codex", until: 9 },
      { type: "design-written", at: AT, claim, document: "# D", notes: ["n"] },
      { type: "plan-drafted", at: AT, claim, answer: "x", plan: null, problems: ["p"], notes: [] },
      { type: "plan-drafted", at: AT, claim, answer: "y", plan: "# Plan", problems: [], notes: ["m"] },
      {
        type: "plan-degraded",
        at: AT,
        claim,
        plan: null,
        cause: { kind: "drafts", drafts: 4, problems: 0, first: null },
      },
      { type: "answer-written", at: AT, claim, text: "so" },
      { type: "audit-written", at: AT, claim, result },
    );
    expect(task).toMatchObject({
      version: 8,
      exhausted: new Map([["codex", 9]]),
      design: { document: "# D", notes: ["n"] },
      drafts: [
        { answer: "x", plan: null, problems: ["p"], notes: [] },
        { answer: "y", plan: "# Plan", problems: [], notes: ["m"] },
      ],
      degraded: { plan: null, cause: { kind: "drafts", drafts: 4, problems: 0, first: null } },
      answer: "so",
      result,
    });
  });

  it("keeps what was first made of its findings", () => {
    const none = { updated: [], standing: [], settled: [], resolved: [], struck: [], unsaid: [] };
    const sorted = (id: string): TaskEvent => ({
      type: "findings-sorted",
      at: AT,
      fates: { ...none, fresh: [id] },
    });
    expect(after(sorted("F1"), sorted("F2")).fates).toEqual({ ...none, fresh: ["F1"] });
  });

  it("is read from a ledger that says of which paths it is", () => {
    const scope = { from: "abc", pr: 7, paths: [] };
    const read = taskEventSchema.parse({ ...taskCreated("review-7", { kind: "review" }), scope });
    expect(evolveTask(null, [read])?.scope).toEqual({ from: "abc", pr: 7 });
  });

  it("ends with an outcome, and says who cancelled it first", () => {
    const task = after(
      { type: "task-cancelled", at: AT, by: "ann" },
      { type: "task-cancelled", at: AT, by: "bob" },
      { type: "task-finished", at: AT, outcome: { kind: "cancelled", by: "ann" } },
    );
    expect(task).toMatchObject({
      cancelledBy: "ann",
      outcome: { kind: "cancelled", by: "ann" },
      finishedAt: AT,
    });
  });
});
