import { describe, expect, it } from "vitest";
import type { TaskKind } from "../../../src/core/command/task-kinds.ts";
import type { Failure } from "../../../src/core/failure/failure.ts";
import { failures } from "../../../src/core/report/texts/failure-texts.ts";
import { whyDegraded, whyGivenUp } from "../../../src/core/report/texts/task-cause-texts.ts";
import { MAX_REDRAFTS, nextTaskStep as stepOf } from "../../../src/core/task/next-task-step.ts";
import type { Task } from "../../../src/core/task/task.ts";
import { A_WISH, ASKED_AT, aTask } from "../../support/a-task.ts";

const THEN = Date.parse(ASKED_AT);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** With why in words, as people read it. */
function nextTaskStep(task: Task, now: number) {
  const step = stepOf(task, now);
  if (step.kind === "degrade")
    return { kind: step.kind, because: step.cause.kind, reason: whyDegraded(step.cause) };
  if (step.kind !== "give-up") return step;
  const { cause } = step;
  return {
    kind: step.kind,
    reason: whyGivenUp(cause),
    failure: cause.kind === "failed" ? cause.failure : null,
  };
}

const QUESTIONS = [{ text: "Which store?", options: ["files", "Redis"], usual: "files", why: "" }];
const assessed = (complexity: string, questions: unknown[] = QUESTIONS) => ({
  type: "task-assessed",
  complexity,
  why: "",
  questions,
});
const refused = { type: "plan-drafted", answer: "…", plan: null, problems: ["It has no stages."], notes: [] };
const accepted = { ...refused, plan: "# A plan", problems: [] };
const ended = (usage: unknown, durationMs = MINUTE) => ({
  type: "session-ended",
  session: "s1",
  state: "completed",
  harness: "claude",
  model: null,
  durationMs,
  usage,
});

describe("what is due for a plan", () => {
  it("is a first look, which may end in a plan or in questions", () => {
    expect(nextTaskStep(aTask("plan"), THEN)).toEqual({ kind: "session", purpose: "begin" });
  });

  it("is the plan at once where no questions are wanted", () => {
    const express = aTask("plan", [], { plan: { ...A_WISH, workflow: "express" } });
    expect(nextTaskStep(express, THEN)).toEqual({ kind: "session", purpose: "draft" });
    expect(nextTaskStep(aTask("revise"), THEN)).toEqual({ kind: "session", purpose: "draft" });
  });

  it("is to show the questions, then to wait, to remind once, and to take the defaults", () => {
    const found = [assessed("complex")];
    expect(nextTaskStep(aTask("plan", found), THEN)).toEqual({ kind: "show-questions" });
    const shown = [...found, { type: "questions-shown", comment: 8 }];
    const step = (at: number, events: Record<string, unknown>[] = shown) =>
      nextTaskStep(aTask("plan", events), THEN + at);
    expect(step(0)).toEqual({ kind: "wait", until: THEN + HOUR });
    expect(step(HOUR)).toEqual({ kind: "remind" });
    const reminded = [...shown, { type: "questions-reminded" }];
    expect(step(HOUR, reminded)).toEqual({ kind: "wait", until: THEN + 2 * HOUR });
    expect(step(2 * HOUR, reminded)).toEqual({ kind: "take-defaults" });
    // Nobody looked for a day: the reminder comes first all the same, and people have a while to heed it.
    expect(step(24 * HOUR)).toEqual({ kind: "remind" });
    const at = new Date(THEN + 24 * HOUR).toISOString();
    const late = [...shown, { type: "questions-reminded", at }];
    expect(step(24 * HOUR, late)).toEqual({ kind: "wait", until: THEN + 24.5 * HOUR });
    expect(step(24.5 * HOUR, late)).toEqual({ kind: "take-defaults" });
  });

  it("is to remind at half of the time where the reminder would come too late", () => {
    const shown = [assessed("complex"), { type: "questions-shown", comment: 8 }];
    const plan = { ...A_WISH, remindAfterSecs: 86_400, defaultAfterSecs: 7_200 };
    expect(nextTaskStep(aTask("plan", shown, { plan }), THEN)).toEqual({
      kind: "wait",
      until: THEN + HOUR,
    });
  });

  it("is a design for a complex task once it is answered, and the plan for any other", () => {
    const answered = { type: "questions-answered", answers: [{ text: "Redis", by: "wes" }] };
    const after = (complexity: string) =>
      nextTaskStep(
        aTask("plan", [assessed(complexity), { type: "questions-shown", comment: 8 }, answered]),
        THEN,
      );
    expect(after("complex")).toEqual({ kind: "session", purpose: "design" });
    expect(after("medium")).toEqual({ kind: "session", purpose: "draft" });
    expect(nextTaskStep(aTask("plan", [assessed("simple", [])]), THEN)).toEqual({
      kind: "session",
      purpose: "draft",
    });
  });

  it("sends a draft back three times, then leaves it to the policy", () => {
    const express = { plan: { ...A_WISH, workflow: "express" as const } };
    for (let drafts = 1; drafts <= MAX_REDRAFTS; drafts += 1) {
      const after = (more = {}) => nextTaskStep(aTask("plan", Array(drafts).fill(refused), more), THEN);
      // As long as nothing was assessed, the answer may still be questions.
      expect(after()).toEqual({ kind: "session", purpose: "begin" });
      expect(after(express)).toEqual({ kind: "session", purpose: "redraft" });
    }
    const all = Array(MAX_REDRAFTS + 1).fill(refused);
    expect(nextTaskStep(aTask("plan", all), THEN)).toMatchInlineSnapshot(`
      {
        "because": "drafts",
        "kind": "degrade",
        "reason": "No sound plan came in 4 drafts. The last one had 1 problem: It has no stages.",
      }
    `);
    expect(nextTaskStep(aTask("revise", all), THEN)).toMatchObject({
      kind: "degrade",
      because: "drafts",
    });
    expect(
      nextTaskStep(
        aTask("plan", [
          ...all,
          {
            type: "plan-degraded",
            plan: null,
            cause: { kind: "drafts", drafts: 4, problems: 0, first: null },
          },
        ]),
        THEN,
      ),
    ).toEqual({ kind: "deliver" });
  });

  it("counts what came before the assessment, and begins the plan anew after it", () => {
    const step = (...events: Record<string, unknown>[]) => nextTaskStep(aTask("plan", events), THEN);
    expect(step(refused, assessed("medium", []))).toEqual({ kind: "session", purpose: "draft" });
    expect(step(refused, assessed("complex", []))).toEqual({ kind: "session", purpose: "design" });
    expect(step(refused, assessed("medium", []), refused)).toEqual({ kind: "session", purpose: "redraft" });
    expect(step(refused, refused, assessed("medium", []), refused, refused)).toMatchObject({
      kind: "degrade",
      because: "drafts",
    });
  });

  it("is to hand over a plan that holds", () => {
    expect(nextTaskStep(aTask("plan", [refused, accepted]), THEN)).toEqual({ kind: "deliver" });
  });
});

describe("what is due for a look", () => {
  it("is one session, then its words", () => {
    expect(nextTaskStep(aTask("ask"), THEN)).toEqual({ kind: "session", purpose: "answer" });
    expect(nextTaskStep(aTask("review"), THEN)).toEqual({ kind: "session", purpose: "audit" });
    const said = { type: "answer-written", text: "In `app/`." };
    expect(nextTaskStep(aTask("ask", [said]), THEN)).toEqual({ kind: "deliver" });
  });

  it("is nothing once it is finished, and to say so once it is cancelled", () => {
    const cancelled = { type: "task-cancelled", by: "wes" };
    expect(nextTaskStep(aTask("ask", [cancelled]), THEN)).toEqual({ kind: "deliver" });
    const finished = { type: "task-finished", outcome: { kind: "cancelled", by: "wes" } };
    expect(nextTaskStep(aTask("ask", [cancelled, finished]), THEN)).toEqual({ kind: "done" });
  });
});

describe("a task that fails", () => {
  const failed = (failure: unknown) => ({ type: "session-failed", failure });

  it("is tried again after a while, and given up after as many tries as a stage has", () => {
    const crash = failed(failures.crashed("SIGKILL", ""));
    expect(nextTaskStep(aTask("ask", [crash]), THEN)).toEqual({ kind: "wait", until: THEN + 30_000 });
    expect(nextTaskStep(aTask("ask", [crash]), THEN + 30_000)).toMatchObject({ kind: "session" });
    expect(nextTaskStep(aTask("ask", [crash, crash, crash]), THEN + HOUR)).toEqual({
      kind: "give-up",
      reason: "The agent was ended by SIGKILL.",
      failure: expect.objectContaining({ kind: "crashed" }),
    });
  });

  it("is given up at once when only a person can help", () => {
    const noKey = failed(failures.credentials("claude", "the key is refused."));
    expect(nextTaskStep(aTask("ask", [noKey]), THEN)).toEqual({
      kind: "give-up",
      reason: "claude can't be used: the key is refused.",
      failure: expect.objectContaining({ kind: "credentials" }),
    });
  });

  it("stops at its budget and at its time, and says so with what raises them", () => {
    const spent = ended({ inputTokens: 1, outputTokens: 1, costUsd: 2 });
    const step = (...args: Parameters<typeof aTask>) => nextTaskStep(aTask(...args), THEN);
    expect(step("review", [spent])).toMatchInlineSnapshot(`
      {
        "failure": null,
        "kind": "give-up",
        "reason": "Its budget of $2.00 is used up. \`commands.budget_usd\` in \`.github/loom.yml\` raises it.",
      }
    `);
    expect(step("plan", [spent])).toMatchInlineSnapshot(`
      {
        "because": "limit",
        "kind": "degrade",
        "reason": "The planner brought no sound plan before it had to stop. Its budget of $2.00 is used up. \`planner.budget_usd\` in \`.github/loom.yml\` raises it.",
      }
    `);
    expect(step("plan", [spent], { budgetBy: ["--budget"] })).toMatchInlineSnapshot(`
      {
        "because": "limit",
        "kind": "degrade",
        "reason": "The planner brought no sound plan before it had to stop. Its budget of $2.00 is used up. A larger \`--budget\` raises it.",
      }
    `);
    expect(step("plan", [spent], { budgetBy: ["planner.budget_usd", "--budget"] })).toMatchInlineSnapshot(`
      {
        "because": "limit",
        "kind": "degrade",
        "reason": "The planner brought no sound plan before it had to stop. Its budget of $2.00 is used up. Raising it takes \`planner.budget_usd\` in \`.github/loom.yml\`, and a larger \`--budget\`.",
      }
    `);
    const settings = ["planner.budget_usd", "limits.budget_usd"] as const;
    expect(step("plan", [spent], { budgetBy: [...settings] })).toMatchInlineSnapshot(`
      {
        "because": "limit",
        "kind": "degrade",
        "reason": "The planner brought no sound plan before it had to stop. Its budget of $2.00 is used up. Raising it takes \`planner.budget_usd\` and \`limits.budget_usd\` in \`.github/loom.yml\`.",
      }
    `);
    expect(step("plan", [spent], { budgetBy: [...settings, "--budget"] })).toMatchInlineSnapshot(`
      {
        "because": "limit",
        "kind": "degrade",
        "reason": "The planner brought no sound plan before it had to stop. Its budget of $2.00 is used up. Raising it takes \`planner.budget_usd\` and \`limits.budget_usd\` in \`.github/loom.yml\`, and a larger \`--budget\`.",
      }
    `);
    expect(step("ask", [spent], { origin: null, budgetBy: [] })).toMatchInlineSnapshot(`
      {
        "failure": null,
        "kind": "give-up",
        "reason": "Its budget of $2.00 is used up.",
      }
    `);
    expect(step("revise", [spent])).toMatchObject({ kind: "give-up" });
    const slow = ended(null, 1_800_000);
    expect(step("review", [slow])).toMatchInlineSnapshot(`
      {
        "failure": null,
        "kind": "give-up",
        "reason": "Its time of 30m 00s is used up. \`commands.timeout_secs\` in \`.github/loom.yml\` raises it.",
      }
    `);
    expect(step("ask", [slow], { origin: null })).toMatchInlineSnapshot(`
      {
        "failure": null,
        "kind": "give-up",
        "reason": "Its time of 30m 00s is used up. \`commands.timeout_secs\` in \`.github/loom.yml\` raises it.",
      }
    `);
    expect(step("plan", [slow])).toMatchInlineSnapshot(`
      {
        "because": "limit",
        "kind": "degrade",
        "reason": "The planner brought no sound plan before it had to stop. Its time of 30m 00s is used up.",
      }
    `);
    // What is there is handed over, whatever it cost.
    const result = { summary: "Fine.", findings: [], earlier: [], notes: [] };
    expect(step("review", [spent, { type: "audit-written", result }])).toEqual({ kind: "deliver" });
  });

  it("is a matter of the policy where a planner could work and brought no plan", () => {
    const after = (failure: Failure, kind: TaskKind = "plan") =>
      nextTaskStep(aTask(kind, Array(3).fill(failed(failure))), THEN + HOUR);
    expect(after(failures.agentFailed(1, "no"))).toMatchInlineSnapshot(`
      {
        "because": "failures",
        "kind": "degrade",
        "reason": "The planner failed 3 times and brought no plan. The agent ended with exit code 1.",
      }
    `);
    for (const failure of [
      failures.crashed("SIGKILL", ""),
      failures.agentSaid("claude", "it took longer than it may.", ""),
      failures.contractUnmet("its design lacks 3 parts"),
    ])
      expect(after(failure)).toMatchObject({ kind: "degrade", because: "failures" });
    const once = { ...aTask("plan").settings, retries: 0 };
    const broke = failed(failures.agentFailed(1, ""));
    expect(nextTaskStep(aTask("plan", [broke], { settings: once }), THEN)).toMatchObject({
      reason: "The planner failed and brought no plan. The agent ended with exit code 1.",
    });
    // The plan that is there stays, and nothing could stand in the place of an answer.
    expect(after(failures.agentFailed(1, ""), "revise")).toMatchObject({ kind: "give-up" });
    expect(after(failures.agentFailed(1, ""), "ask")).toMatchObject({ kind: "give-up" });
  });

  it("needs people or time where a planner could not work at all, whatever the policy is", () => {
    for (const failure of [
      failures.credentials("claude", "the key is refused."),
      failures.notStarted("claude", "it is not installed."),
      failures.infrastructure("The disk is full."),
      { kind: "context-overflow", message: "It does not fit.", evidence: null } as const,
    ]) {
      const task = aTask("plan", Array(3).fill(failed(failure)), {
        plan: { ...A_WISH, degraded: "allow" },
      });
      expect(nextTaskStep(task, THEN + HOUR)).toEqual({
        kind: "give-up",
        reason: failure.message,
        failure: expect.objectContaining({ kind: failure.kind }),
      });
    }
    const away = Array(4).fill(failed(failures.transient("Overloaded.", "")));
    expect(nextTaskStep(aTask("plan", away), THEN + 9 * HOUR)).toMatchObject({ kind: "give-up" });
    const begun = Array(25).fill({
      type: "session-started",
      session: "s1",
      purpose: "begin",
      harness: "claude",
      model: null,
    });
    expect(nextTaskStep(aTask("plan", begun), THEN)).toEqual({
      kind: "give-up",
      reason: "Gave up after 25 attempts.",
      failure: null,
    });
  });

  it("does not wait for a next try that it has no budget for", () => {
    const spent = ended({ inputTokens: 1, outputTokens: 1, costUsd: 2 });
    const crash = failed(failures.crashed("SIGKILL", ""));
    expect(nextTaskStep(aTask("ask", [spent, crash]), THEN)).toMatchObject({ kind: "give-up" });
  });

  it("counts tokens where nobody names their price", () => {
    const tokens = (inputTokens: number) => ended({ inputTokens, outputTokens: 0, costUsd: null });
    expect(nextTaskStep(aTask("ask", [tokens(999_999)]), THEN)).toMatchObject({ kind: "session" });
    expect(nextTaskStep(aTask("ask", [tokens(600_000), tokens(400_000)]), THEN)).toMatchInlineSnapshot(`
      {
        "failure": null,
        "kind": "give-up",
        "reason": "Its budget of $2.00 is used up. Where nobody names the cost, a million tokens count as $2.00. \`commands.budget_usd\` in \`.github/loom.yml\` raises it.",
      }
    `);
  });

  it("spends no more than its budget when each of its workers is killed", () => {
    const begun = {
      type: "session-started",
      session: "s1",
      purpose: "answer",
      harness: "codex",
      model: null,
    };
    const step = (...events: Record<string, unknown>[]) => nextTaskStep(aTask("ask", events), THEN);
    const killed = [begun, { type: "task-claimed", claim: "c2" }];
    expect(step(...killed)).toMatchObject({ kind: "session" });
    expect(step(...Array(5).fill(killed).flat())).toMatchInlineSnapshot(`
      {
        "failure": null,
        "kind": "give-up",
        "reason": "Its budget of $2.00 is used up. A session that is cut off counts as $0.40 more than was heard of it. \`commands.budget_usd\` in \`.github/loom.yml\` raises it.",
      }
    `);
    const told = {
      type: "session-spent",
      session: "s1",
      usage: { inputTokens: 1, outputTokens: 1, costUsd: 1.6 },
    };
    expect(step(begun, told)).toMatchObject({ kind: "session" });
    expect(step(begun, told, ...killed.slice(1))).toMatchObject({ kind: "give-up" });
    // Whoever only finds out that the one before is dead is charged nothing more.
    expect(step(...killed, ...Array(9).fill({ type: "task-claimed", claim: "c3" }))).toMatchObject({
      kind: "session",
    });
  });

  it("keeps why as a code with its data, so that better words can't change what happened", () => {
    const spent = ended({ inputTokens: 1, outputTokens: 1, costUsd: 2 });
    expect(stepOf(aTask("plan", [spent]), THEN)).toEqual({
      kind: "degrade",
      cause: {
        kind: "limit",
        spent: {
          kind: "budget",
          usd: 2,
          isGuess: false,
          cutOffUsd: null,
          limits: ["planner.budget_usd"],
        },
      },
    });
  });
});
