import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createEmbeddedLeases } from "../../../src/adapters/embedded/leases.ts";
import type { TaskKind } from "../../../src/core/command/task-kinds.ts";
import type { TaskCreated } from "../../../src/core/task/task-events.ts";
import {
  answerQuestions,
  cancelTask,
  runTask,
  type TaskProgress,
} from "../../../src/engine/task/run-task.ts";
import type { TaskChannel } from "../../../src/engine/task/task-channel.ts";
import type { TaskEngine } from "../../../src/engine/task/task-engine.ts";
import { A_WISH, taskCreated } from "../../support/a-task.ts";
import {
  aChannel,
  aClock,
  aHarness,
  aRepository,
  aWorker,
  beginTask,
  ledgerOf,
  type Told,
} from "./task-world.ts";

const NEVER = new AbortController().signal;
const { settings: SETTINGS } = taskCreated("ask");
const MINUTE = 60_000;

function go(engine: TaskEngine, id: string, channel: TaskChannel, signal = NEVER): Promise<TaskProgress> {
  return runTask(engine, id, channel, () => {}, signal);
}

async function aScene(agents: readonly Told[], kind: TaskKind = "ask", more: Partial<TaskCreated> = {}) {
  const repo = aRepository();
  const clock = aClock();
  const leases = createEmbeddedLeases();
  const engine = await aWorker({ repo, agents, clock, leases });
  const id = await beginTask(engine, repo, kind, { text: "Why is a 1?", ...more });
  return { repo, clock, leases, engine, id, channel: aChannel() };
}

describe("a task", () => {
  it("is one session that reads, and its last words are handed over", async () => {
    const agent = aHarness("claude", [{ says: "Because.", costUsd: 0.25 }]);
    const { engine, id, channel } = await aScene([agent]);
    expect(await go(engine, id, channel)).toEqual({ kind: "done" });
    expect(channel.acts).toEqual(["deliver Because."]);
    expect(agent.specs).toHaveLength(1);
    expect(agent.specs[0]).toMatchObject({
      stage: "answer",
      attempt: 1,
      tools: "read",
      budgetUsd: 2,
      resume: null,
    });
    expect(agent.specs[0]?.task).toContain("Why is a 1?");
    expect(await ledgerOf(engine, id)).toEqual([
      "task-created",
      "task-claimed",
      "session-started",
      "session-ended",
      "answer-written",
      "task-finished",
    ]);
    expect((await engine.tasks.get(id)).usage?.costUsd).toBe(0.25);
    expect(existsSync(agent.specs[0]?.home ?? "")).toBe(false);
  });

  it("is not done twice", async () => {
    const agent = aHarness("claude", [{ says: "Because." }]);
    const { engine, id, channel } = await aScene([agent]);
    await go(engine, id, channel);
    expect(await go(engine, id, channel)).toEqual({ kind: "done" });
    expect(agent.specs).toHaveLength(1);
    expect(channel.acts).toEqual(["deliver Because."]);
  });

  it("is left to the worker that is at it", async () => {
    const agent = aHarness("claude", [{ hangs: true }]);
    const { engine, id, channel, repo, leases } = await aScene([agent]);
    const stop = new AbortController();
    const first = go(engine, id, channel, stop.signal);
    await agent.started;
    const second = aHarness("claude", [{ says: "Me too." }]);
    const other = await aWorker({ repo, agents: [second], leases });
    expect(await go(other, id, channel)).toEqual({ kind: "done" });
    expect(second.specs).toEqual([]);
    stop.abort();
    await first;
  });

  it("ends in the middle of a session when somebody cancels it, and says so once", async () => {
    const agent = aHarness("claude", [{ hangs: true }]);
    const { engine, id, channel, repo, leases } = await aScene([agent]);
    const work = go(engine, id, channel);
    await agent.started;
    const other = await aWorker({ repo, agents: [], leases });
    expect(await cancelTask(other, id, "ada")).toBe(true);
    expect(await work).toEqual({ kind: "done" });
    expect(agent.stops).toHaveLength(1);
    expect(channel.acts).toEqual(["deliver that it is cancelled"]);
    expect((await other.tasks.get(id)).outcome).toEqual({ kind: "cancelled", by: "ada" });
    expect(await cancelTask(other, id, "ada")).toBe(false);
    expect(await go(other, id, channel)).toEqual({ kind: "done" });
    expect(channel.acts).toHaveLength(1);
  });

  it("that is cancelled still says what it has cost", async () => {
    const agent = aHarness("claude", [{ hangs: true, costUsd: 0.25 }]);
    const { engine, id, channel } = await aScene([agent]);
    const work = go(engine, id, channel);
    await agent.started;
    await cancelTask(engine, id, "ada");
    await work;
    const { usage, outcome, session } = await engine.tasks.get(id);
    expect([usage?.costUsd, outcome?.kind, session]).toEqual([0.25, "cancelled", null]);
  });

  it("gives each session the time that its agent has", async () => {
    const agent = aHarness("claude", [{ hangs: true }]);
    const { engine, id, channel } = await aScene([agent], "review", { timeoutSecs: 1_800 });
    const reviewer = engine.roster.agents.get("code-reviewer");
    if (!reviewer) throw new Error("there is no reviewer");
    const agents = new Map(engine.roster.agents).set("code-reviewer", { ...reviewer, timeoutMins: 0.0005 });
    const progress = await go({ ...engine, roster: { ...engine.roster, agents } }, id, channel);
    expect(progress).toMatchObject({ kind: "waiting" });
    expect((await engine.tasks.get(id)).failures.map(({ message }) => message)).toEqual([
      "claude could not go on: it took longer than it may.",
    ]);
  });

  it("says that it was cancelled also when nobody was at it", async () => {
    const agent = aHarness("claude", [{ says: "Because." }]);
    const { engine, id, channel } = await aScene([agent]);
    await cancelTask(engine, id, "ada");
    await go(engine, id, channel);
    expect(agent.specs).toEqual([]);
    expect(channel.acts).toEqual(["deliver that it is cancelled"]);
  });

  it("goes on where it was when its worker was told to stop", async () => {
    const agent = aHarness("claude", [{ hangs: true }, { says: "Because." }]);
    const { engine, id, channel, repo } = await aScene([agent]);
    const stop = new AbortController();
    const work = go(engine, id, channel, stop.signal);
    await agent.started;
    stop.abort();
    expect(await work).toEqual({ kind: "waiting", until: null });
    expect(agent.stops).toHaveLength(1);
    expect(channel.acts).toEqual([]);
    expect((await engine.tasks.get(id)).failures).toEqual([]);
    const after = await aWorker({ repo, agents: [agent] });
    expect(await go(after, id, channel)).toEqual({ kind: "done" });
    expect(channel.acts).toEqual(["deliver Because."]);
    expect(agent.specs.map(({ attempt }) => attempt)).toEqual([1, 2]);
  });

  it("is dropped without a word by a worker that was taken for dead", async () => {
    const slow = aHarness("claude", [{ hangs: true }]);
    const { engine, id, channel, repo } = await aScene([slow]);
    const work = go(engine, id, channel);
    await slow.started;
    const quick = aHarness("claude", [{ says: "Because." }]);
    // It knows nothing of the other one's leases, as if they had run out.
    const other = await aWorker({ repo, agents: [quick] });
    const mine = aChannel();
    expect(await go(other, id, mine)).toEqual({ kind: "done" });
    expect(await work).toEqual({ kind: "waiting", until: null });
    expect(slow.stops).toHaveLength(1);
    expect(channel.acts).toEqual([]);
    expect(mine.acts).toEqual(["deliver Because."]);
  });
});

describe("a task whose agent can't go on", () => {
  const quota = { kind: "quota", message: "Your limit is reached.", resetsAt: null } as const;

  it("is done by the next one that the operator named, with that one's own model", async () => {
    const first = aHarness("claude", [{ fails: quota }]);
    const second = aHarness("codex", [{ says: "Because." }]);
    const routes = [
      { role: "investigate", tier: "*", harness: "claude", model: "opus", effort: null } as const,
    ];
    const { engine, id, channel } = await aScene([first, second], "ask", {
      settings: { ...SETTINGS, fallback: ["codex"], routes: [...routes] },
    });
    expect(await go(engine, id, channel)).toEqual({ kind: "done" });
    expect(channel.acts).toEqual(["deliver Because."]);
    expect(first.specs.map(({ model }) => model)).toEqual(["opus"]);
    expect(second.specs.map(({ model }) => model)).toEqual([null]);
    expect(await ledgerOf(engine, id)).toContain("harness-exhausted");
  });

  it("waits until its quota is back, and not a moment longer", async () => {
    const clock = aClock();
    const back = clock.now + 90 * MINUTE;
    const agent = aHarness("claude", [{ fails: { ...quota, resetsAt: back } }, { says: "Because." }]);
    const { engine, id, channel, clock: time } = await aScene([agent]);
    expect(await go(engine, id, channel)).toEqual({ kind: "waiting", until: back });
    time.now = back - 1;
    expect(await go(engine, id, channel)).toEqual({ kind: "waiting", until: back });
    expect(agent.specs).toHaveLength(1);
    time.now = back;
    expect(await go(engine, id, channel)).toEqual({ kind: "done" });
    expect(channel.acts).toEqual(["deliver Because."]);
  });

  it("waits ten minutes when nobody says when the quota is back", async () => {
    const agent = aHarness("claude", [{ fails: quota }]);
    const { engine, id, channel, clock } = await aScene([agent]);
    expect(await go(engine, id, channel)).toEqual({ kind: "waiting", until: clock.now + 10 * MINUTE });
  });

  it("waits for the one that is back first when all are out of quota", async () => {
    const { now } = aClock();
    const first = aHarness("claude", [{ fails: { ...quota, resetsAt: now + 60 * MINUTE } }]);
    const second = aHarness("codex", [{ fails: { ...quota, resetsAt: now + 30 * MINUTE } }]);
    const { engine, id, channel } = await aScene([first, second], "ask", {
      settings: { ...SETTINGS, fallback: ["codex"] },
    });
    expect(await go(engine, id, channel)).toEqual({ kind: "waiting", until: now + 30 * MINUTE });
  });

  it("is tried again after a pause, and then not any more", async () => {
    const agent = aHarness("claude", [{ fails: { kind: "unknown", message: "It broke.", resetsAt: null } }]);
    const { engine, id, channel, clock } = await aScene([agent]);
    const waits: number[] = [];
    for (;;) {
      const progress = await go(engine, id, channel);
      if (progress.kind === "done") break;
      waits.push((progress.until ?? 0) - clock.now);
      clock.now = progress.until ?? 0;
    }
    expect(waits).toEqual([30_000, 60_000]);
    expect(agent.specs).toHaveLength(3);
    expect(channel.acts).toMatchInlineSnapshot(`
      [
        "give up: claude could not go on: It broke.",
      ]
    `);
  });

  it("is given up at once when its key is refused", async () => {
    const agent = aHarness("claude", [
      { fails: { kind: "auth", message: "The key is wrong.", resetsAt: null } },
    ]);
    const { engine, id, channel } = await aScene([agent]);
    expect(await go(engine, id, channel)).toEqual({ kind: "done" });
    expect(agent.specs).toHaveLength(1);
    expect(channel.acts).toMatchInlineSnapshot(`
      [
        "give up: claude can't be used: The key is wrong.",
      ]
    `);
  });

  it("is not taken for done when it said nothing", async () => {
    const agent = aHarness("claude", [{ says: "  \n" }, { says: "Because." }]);
    const { engine, id, channel, clock } = await aScene([agent]);
    expect(await go(engine, id, channel)).toEqual({ kind: "waiting", until: clock.now + 30_000 });
    expect((await engine.tasks.get(id)).failures.map(({ message }) => message)).toMatchInlineSnapshot(`
      [
        "claude could not go on: The agent ended without a word.",
      ]
    `);
  });

  it("gets what is left of the money, and none beyond it", async () => {
    const broken = { kind: "unknown", message: "It broke.", resetsAt: null } as const;
    const agent = aHarness("claude", [
      { fails: broken, costUsd: 1.5 },
      { fails: broken, costUsd: 0.5 },
    ]);
    const { engine, id, channel, clock } = await aScene([agent]);
    await go(engine, id, channel);
    clock.now += 30_000;
    expect(await go(engine, id, channel)).toEqual({ kind: "done" });
    expect(agent.specs.map(({ budgetUsd }) => budgetUsd)).toEqual([2, 0.5]);
    expect(channel.acts).toMatchInlineSnapshot(`
      [
        "give up: Its budget of $2.00 is used up. \`commands.budget_usd\` in \`.github/loom.yml\` raises it.",
      ]
    `);
  });

  it("is stopped at so many tokens where the agent names no price", async () => {
    const agent = aHarness("codex", [{ hangs: true, tokens: 1_000_001 }]);
    const { engine, id, channel } = await aScene([agent], "ask", {
      settings: { ...SETTINGS, harness: "codex" },
    });
    expect(await go(engine, id, channel)).toEqual({ kind: "done" });
    expect([agent.specs.length, agent.stops.length]).toEqual([1, 1]);
    expect(channel.acts).toMatchInlineSnapshot(`
      [
        "give up: Its budget of $2.00 is used up. Where nobody names the cost, a million tokens count as $2.00. \`commands.budget_usd\` in \`.github/loom.yml\` raises it.",
      ]
    `);
  });

  it("pays for a session whose worker was killed", async () => {
    const slow = aHarness("claude", [{ hangs: true, costUsd: 1.7 }]);
    const { engine, id, channel, repo } = await aScene([slow]);
    const noted = new Promise<void>((done) => {
      const unwatch = engine.taskStore.watch(id, () => {
        void ledgerOf(engine, id).then((types) => {
          if (!types.includes("session-spent")) return;
          unwatch();
          done();
        });
      });
    });
    const work = go(engine, id, channel);
    await noted;
    const quick = aHarness("claude", [{ says: "Because." }]);
    // It knows nothing of the other one's leases, as if its process were gone.
    const other = await aWorker({ repo, agents: [quick] });
    const mine = aChannel();
    expect(await go(other, id, mine)).toEqual({ kind: "done" });
    await work;
    expect(quick.specs).toEqual([]);
    expect(mine.acts).toMatchInlineSnapshot(`
      [
        "give up: Its budget of $2.00 is used up. A session that is cut off counts as $0.40 more than was heard of it. \`commands.budget_usd\` in \`.github/loom.yml\` raises it.",
      ]
    `);
    expect((await other.tasks.get(id)).usage?.costUsd).toBe(1.7);
  });
});

const QUESTIONS = `One thing is open.

\`\`\`yaml
loom_questions:
  complexity: medium
  why: It decides what is stored.
  questions:
    - question: Where?
      options: [Redis, Postgres]
      default: b
\`\`\`
`;

const PLAN = `## Why these stages

One is enough.

## Out of scope

Other texts.

\`\`\`yaml
loom:
  version: 1
  stages:
    - id: count
      name: Count words
      description: Count the words of a text in src/count.js.
      files: [src/count.js]
      acceptance: [test -f src/count.js]
\`\`\`
`;

describe("a task that asks", () => {
  const wish = { ...A_WISH, remindAfterSecs: 3_600, defaultAfterSecs: 7_200 };

  async function asked() {
    const agent = aHarness("claude", [{ says: QUESTIONS }, { says: PLAN }]);
    const scene = await aScene([agent], "plan", { plan: wish });
    const progress = await go(scene.engine, scene.id, scene.channel);
    return { ...scene, agent, progress };
  }

  it("waits for an answer, reminds once, and then takes the default", async () => {
    const { engine, id, channel, clock, agent, progress } = await asked();
    const { now } = clock;
    expect(progress).toEqual({ kind: "waiting", until: now + 60 * MINUTE });
    expect(await go(engine, id, channel)).toEqual(progress);
    clock.now = now + 60 * MINUTE;
    expect(await go(engine, id, channel)).toEqual({ kind: "waiting", until: now + 120 * MINUTE });
    clock.now = now + 119 * MINUTE;
    expect(await go(engine, id, channel)).toEqual({ kind: "waiting", until: now + 120 * MINUTE });
    expect(agent.specs.map(({ stage }) => stage)).toEqual(["begin"]);
    clock.now = now + 120 * MINUTE;
    expect(await go(engine, id, channel)).toEqual({ kind: "done" });
    expect(channel.acts).toEqual(["ask 1", "remind", "defaults Postgres", "deliver what is there"]);
    expect(agent.specs.map(({ stage }) => stage)).toEqual(["begin", "draft"]);
    expect((await engine.tasks.get(id)).answers).toEqual([{ text: "Postgres", by: null }]);
  });

  it("goes on with the first answers, and with no others", async () => {
    const { engine, id, channel, agent } = await asked();
    expect(await answerQuestions(engine, id, () => [{ text: "Redis", by: "wes" }])).not.toBeNull();
    expect(await answerQuestions(engine, id, () => [{ text: "Postgres", by: "ada" }])).toBeNull();
    expect(await go(engine, id, channel)).toEqual({ kind: "done" });
    expect(agent.specs[1]?.task).toContain("Redis");
    expect((await engine.tasks.get(id)).answers).toEqual([{ text: "Redis", by: "wes" }]);
  });

  it("waits for the rest of the answers, and takes only its defaults", async () => {
    const two = QUESTIONS.replace(
      "    - question: Where?",
      "    - question: When?\n      default: Later\n    - question: Where?",
    );
    const agent = aHarness("claude", [{ says: two }, { says: PLAN }]);
    const { engine, id, channel, clock } = await aScene([agent], "plan", { plan: wish });
    const waits = await go(engine, id, channel);
    await answerQuestions(engine, id, () => [null, { text: "Redis", by: "wes" }]);
    expect(await go(engine, id, channel)).toEqual(waits);
    expect((await engine.tasks.get(id)).answers).toBeNull();
    // Nobody was there when the reminder was due, nor when the defaults were: the reminder still comes first.
    clock.now += 1_000 * MINUTE;
    const until = clock.now + 30 * MINUTE;
    expect(await go(engine, id, channel)).toEqual({ kind: "waiting", until });
    clock.now = until;
    expect(await go(engine, id, channel)).toEqual({ kind: "done" });
    expect(channel.acts).toEqual(["ask 2", "remind", "defaults Later,Redis", "deliver what is there"]);
    expect((await engine.tasks.get(id)).answers).toEqual([
      { text: "Later", by: null },
      { text: "Redis", by: "wes" },
    ]);
  });

  it("takes answers on the spot where there are any", async () => {
    const agent = aHarness("claude", [{ says: QUESTIONS }, { says: PLAN }]);
    const { engine, id } = await aScene([agent], "plan", { plan: wish });
    const channel = aChannel({
      ask: async () => ({ comment: null, answers: [{ text: "Redis", by: "pat" }] }),
    });
    expect(await go(engine, id, channel)).toEqual({ kind: "done" });
    expect((await engine.tasks.get(id)).answers).toEqual([{ text: "Redis", by: "pat" }]);
  });

  it("takes no answers to what it did not ask, nor after its end", async () => {
    const { engine, id } = await aScene([aHarness("claude", [])], "plan", { plan: wish });
    expect(await answerQuestions(engine, id, () => [{ text: "Redis", by: "wes" }])).toBeNull();
    const later = await asked();
    await cancelTask(later.engine, later.id, "ada");
    expect(await answerQuestions(later.engine, later.id, () => [{ text: "Redis", by: "wes" }])).toBeNull();
  });

  it("can be cancelled while it waits", async () => {
    const { engine, id, channel } = await asked();
    await cancelTask(engine, id, "ada");
    expect(await go(engine, id, channel)).toEqual({ kind: "done" });
    expect(channel.acts).toEqual(["ask 1", "deliver that it is cancelled"]);
  });
});

describe("a task whose words can't be used", () => {
  it("tells the agent what is wrong, in the same conversation", async () => {
    const agent = aHarness("claude", [
      { says: PLAN.replace("version: 1", "version: 9"), resume: "talk-1" },
      { says: PLAN },
    ]);
    const { engine, id, channel } = await aScene([agent], "plan", {
      plan: { ...A_WISH, workflow: "express" },
    });
    expect(await go(engine, id, channel)).toEqual({ kind: "done" });
    expect(agent.specs.map(({ stage, resume }) => `${stage} ${resume}`)).toEqual([
      "draft null",
      "redraft talk-1",
    ]);
    expect(agent.specs[1]?.prompt).toMatchInlineSnapshot(`
      "Loom could not accept this plan. Fix these problems:

      \`\`\`text
      1. \`version\`: Loom reads version 1 and 2 of the format, not \`9\`. Write \`version: 1\`.
      \`\`\`

      Write the whole answer again, in the same form: the three sections and the one block with \`loom:\`. Fix every problem, and
      look for the same mistake in other stages. Leave the rest as it is. Do not answer with a part, and do not explain what you
      changed."
    `);
  });

  it("says all of it again where no conversation can be gone on with", async () => {
    const agent = aHarness("claude", [{ says: "No plan." }, { says: PLAN }]);
    const { engine, id, channel } = await aScene([agent], "plan", {
      plan: { ...A_WISH, workflow: "express" },
    });
    await go(engine, id, channel);
    expect(agent.specs.map(({ stage, resume }) => `${stage} ${resume}`)).toEqual([
      "draft null",
      "redraft null",
    ]);
    expect(agent.specs[1]?.task).toContain("It should say which words a text uses most.");
  });

  it("makes do with one stage after three drafts came back, or with nothing", async () => {
    for (const [degraded, hasPlan] of [
      ["require-approval", true],
      ["deny", false],
    ] as const) {
      const agent = aHarness("claude", [{ says: "No plan." }]);
      const plan = { ...A_WISH, workflow: "express" as const, degraded };
      const { engine, id, channel } = await aScene([agent], "plan", { plan });
      expect(await go(engine, id, channel)).toEqual({ kind: "done" });
      expect(agent.specs).toHaveLength(4);
      expect((await engine.tasks.get(id)).degraded?.plan !== null).toBe(hasPlan);
    }
  });

  it("tells a first look what is wrong with its questions, and asks them then", async () => {
    const agent = aHarness("claude", [
      { says: QUESTIONS.replace("default: b", "default: ["), resume: "talk-1" },
      { says: QUESTIONS },
    ]);
    const { engine, id, channel } = await aScene([agent], "plan");
    expect((await go(engine, id, channel)).kind).toBe("waiting");
    expect(agent.specs.map(({ stage, resume }) => `${stage} ${resume}`)).toEqual([
      "begin null",
      "begin talk-1",
    ]);
    expect(agent.specs[1]?.prompt).toContain("1. The block with `loom_questions:` is not readable as YAML.");
    expect(channel.acts).toEqual(["ask 1"]);
  });

  it("has a design written again that lacks a section, and takes what is there in the end", async () => {
    const complex = PLAN.replace("version: 1", "version: 1\n  complexity: complex");
    const agent = aHarness("claude", [
      { says: complex },
      { says: "## Approach\n\nCount.\n", resume: "talk-1" },
      { says: "Sorry.", resume: "talk-2" },
      { says: "## Approach\n\nCount.\n" },
      { says: complex },
    ]);
    const { engine, id, channel } = await aScene([agent], "plan", { plan: { ...A_WISH, depth: "quick" } });
    expect(await go(engine, id, channel)).toEqual({ kind: "done" });
    expect(agent.specs.map(({ stage, resume }) => `${stage} ${resume}`)).toEqual([
      "begin null",
      "design null",
      "design talk-1",
      "design talk-2",
      "draft null",
    ]);
    expect(agent.specs[2]?.prompt).toMatchInlineSnapshot(`
      "Loom could not accept this answer. Fix these problems:

      \`\`\`text
      1. The section \`## Problem Statement\` is missing or empty.
      2. The section \`## Success Criteria\` is missing or empty.
      \`\`\`

      Write the whole answer again, in one of the forms that you were given. Fix every problem, and leave the rest as it is. Do
      not answer with a part, and do not explain what you changed."
    `);
    expect((await engine.tasks.get(id)).design?.notes).toHaveLength(2);
  });

  it("has an audit told again that can't be read", async () => {
    const agent = aHarness("claude", [{ says: "All is well.", resume: "talk-1" }, { says: "All is well." }]);
    const { engine, id, channel } = await aScene([agent], "review");
    await go(engine, id, channel);
    expect(agent.specs.slice(0, 2).map(({ stage, resume }) => `${stage} ${resume}`)).toEqual([
      "audit null",
      "audit talk-1",
    ]);
  });
});
