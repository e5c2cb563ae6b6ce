import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TaskKind } from "../../../src/core/command/task-kinds.ts";
import type { TaskEvent } from "../../../src/core/task/task-events.ts";
import type { RepoEngine } from "../../../src/engine/github/host.ts";
import { readConfig } from "../../../src/engine/github/plan/read-config.ts";
import { doTask } from "../../../src/engine/github/task/do-task.ts";
import { requestTask } from "../../../src/engine/github/task/request-task.ts";
import { cancelTask } from "../../../src/engine/task/run-task.ts";
import { createTaskLedgers } from "../../../src/engine/task/task-ledgers.ts";
import type { RepositoryPorts } from "../../../src/ports/github/repository-ports.ts";
import type { LedgerStore } from "../../../src/ports/ledger-store.ts";
import { settled } from "../../support/github-talk.ts";
import { aGitHubWorld, type GitHubWorld } from "../../support/github-world.ts";
import { answers, draftStage, planAnswer, questions } from "../../support/planning-talk.ts";
import { findings, openChange, scriptNow, shown } from "../../support/task-talk.ts";

const WORDS = {
  question: "What is a word?",
  options: ["what spaces divide", "what letters make"],
  default: "a",
};
const FOUND = findings([{ severity: "high", title: "It is wrong", file: "src/a.ts", line: 1 }]);
const HOUR = 3_600_000;
const NEVER = new AbortController().signal;

let world: GitHubWorld;
beforeAll(async () => {
  world = await aGitHubWorld({ config: { version: 1, harness: "scripted" } });
  await scriptNow(world, {
    begin: answers(questions("medium", [WORDS])),
    draft: answers(planAnswer([draftStage("count")])),
    answer: answers("Because."),
    audit: answers(FOUND),
  });
  // Loom learns of a repository by its first webhook.
  world.comment(world.issue({ body: "Hello." }), "/loom help");
  await settled(world);
});
afterAll(() => world?.end());

class Killed extends Error {}

/**
 * The worker is gone right before its nth write: what it did on GitHub is done and not written down, and nothing that it
 * does afterwards happens.
 */
function dying(engine: RepoEngine, nth: number): RepoEngine {
  let writes = 0;
  const isDead = (): boolean => writes >= nth;
  const store: LedgerStore<TaskEvent> = {
    ...engine.taskStore,
    loadSince: async (id, version) => {
      if (isDead()) throw new Killed();
      return engine.taskStore.loadSince(id, version);
    },
    append: async (id, version, events) => {
      if (isDead()) throw new Killed();
      if (writes + 1 >= nth) {
        writes += 1;
        throw new Killed();
      }
      const outcome = await engine.taskStore.append(id, version, events);
      if (outcome.kind === "appended") writes += 1;
      return outcome;
    },
  };
  const mortal = <T extends object>(port: T): T =>
    new Proxy(port, {
      get(target, name, receiver) {
        const own = Reflect.get(target, name, receiver);
        if (typeof own !== "function") return own;
        return async (...args: unknown[]) => {
          if (isDead()) throw new Killed();
          return Reflect.apply(own, target, args);
        };
      },
    });
  const { people, threads, pulls, reviews, checks, contents, planBranch, ledgerMirror } = engine;
  const ports: RepositoryPorts = {
    ...{ people: mortal(people), threads: mortal(threads), pulls: mortal(pulls), reviews: mortal(reviews) },
    ...{ checks: mortal(checks), contents: mortal(contents), planBranch: mortal(planBranch) },
    ledgerMirror: mortal(ledgerMirror),
  };
  return { ...engine, ...ports, taskStore: store, tasks: createTaskLedgers(store) };
}

/** Nobody has sent a job for it: only the test works on it. */
async function begin(kind: TaskKind, number: number, express = false): Promise<string> {
  const engine = await world.engine();
  const { config } = await readConfig(engine);
  if (!config) throw new Error("there is no config");
  const comment = world.comment(number, "Please.");
  const sender = { login: "wes", id: world.idOf("wes"), bot: false };
  const task = await requestTask(world.loom.hosted.host, engine, config, {
    kind,
    incoming: {
      number,
      comment,
      at: new Date().toISOString(),
      sender,
      body: "",
      isPullRequest: world.get(number).pull !== null,
    },
    by: sender,
    role: "write",
    text: "Why?",
    run: null,
    harness: null,
    budgetUsd: null,
    express,
    depth: null,
  });
  return task.id;
}

/** Goes on for as long as it takes, 30 hours later each time that it waits. True when the worker lived to the end. */
async function goOn(engine: RepoEngine, id: string): Promise<boolean> {
  try {
    for (let hours = 0; hours < 200; hours += 30) {
      const later = { ...engine, now: () => Date.now() + hours * HOUR };
      await doTask(world.loom.hosted.host, later, id, NEVER);
      if ((await engine.tasks.get(id)).outcome) return true;
    }
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
    return false;
  }
  throw new Error(`${id} does not end`);
}

/** What a person can see of it: the marks of all that Loom wrote in the thread, and what hangs on it. */
function seen(number: number): { marks: string[]; reviews: number; remarks: number; plans: number } {
  const { pull } = world.get(number);
  const marks = world.said(number).flatMap((body) => /<!-- loom:([\w./@-]+) -->\s*$/.exec(body)?.[1] ?? []);
  const plans = [...world.repository.issues.values()].filter(
    (issue) => issue.pull !== null && issue.body.includes(`for #${number},`),
  );
  return {
    marks: marks
      .filter((mark) => mark.startsWith("task-"))
      .map((mark) => mark.replace(/-\d+-\d+/, ""))
      .sort(),
    reviews: pull?.reviews.length ?? 0,
    remarks: pull?.threads.length ?? 0,
    plans: plans.length,
  };
}

const KINDS: readonly { kind: TaskKind; outcome: string; sees: ReturnType<typeof seen> }[] = [
  {
    kind: "plan",
    outcome: "planned",
    sees: {
      marks: ["task-plan", "task-plan-defaults", "task-plan-questions", "task-plan-reminder"],
      reviews: 0,
      remarks: 0,
      plans: 1,
    },
  },
  { kind: "ask", outcome: "answered", sees: { marks: ["task-ask"], reviews: 0, remarks: 0, plans: 0 } },
  {
    kind: "review",
    outcome: "audited",
    sees: { marks: ["task-review"], reviews: 1, remarks: 1, plans: 0 },
  },
];

describe.each(KINDS)("$kind, by workers that are killed", ({ kind, outcome, sees }) => {
  async function aThread(name: string): Promise<number> {
    return kind === "review"
      ? openChange(world, { "src/a.ts": `export const a = "${name}";\n` }, { branch: name })
      : world.issue({ body: `Count words: ${name}.` });
  }

  it("comes to one end before whichever write that is", async () => {
    for (let nth = 1; ; nth += 1) {
      const number = await aThread(`${kind}-${nth}`);
      const id = await begin(kind, number);
      const engine = await world.engine();
      const lived = await goOn(dying(engine, nth), id);
      if (!lived) await goOn(engine, id);
      const { events } = await engine.taskStore.load(id);
      const told = `killed before write ${nth}: ${events.map(({ type }) => type).join(" ")}`;
      expect((await engine.tasks.get(id)).outcome?.kind, told).toBe(outcome);
      expect(
        events.filter(({ type }) => type === "task-finished"),
        told,
      ).toHaveLength(1);
      expect(seen(number), told).toEqual(sees);
      if (lived) return;
    }
  });
});

describe("a second review, by workers that are killed", () => {
  const AGAIN = findings(
    [
      { title: "Stays the same", file: "src/a.ts", line: 1 },
      { title: "Is said otherwise", file: "src/a.ts", line: 2, body: "In other words." },
      { title: "Is new", file: "src/a.ts", line: 4 },
      { title: "Is new, of no file" },
    ],
    {
      earlier: [
        { id: "F3", state: "fixed" },
        { id: "F4", state: "fixed" },
      ],
    },
  );
  const FIRST = findings([
    { title: "Stays the same", file: "src/a.ts", line: 1 },
    { title: "Is said otherwise", file: "src/a.ts", line: 2 },
    { title: "Is fixed", file: "src/a.ts", line: 3 },
    { title: "Is fixed, of no file" },
  ]);

  it("tells the same before whichever write that is", async () => {
    for (let nth = 1; ; nth += 1) {
      const name = `again-${nth}`;
      const number = await openChange(world, { "src/a.ts": `${name}\n2\n3\n4\n` }, { branch: name });
      const engine = await world.engine();
      await scriptNow(world, { audit: answers(FIRST) });
      await goOn(engine, await begin("review", number));
      await scriptNow(world, { audit: answers(AGAIN) });
      const id = await begin("review", number);
      const lived = await goOn(dying(engine, nth), id);
      if (!lived) await goOn(engine, id);
      expect(shown(world, number, id).split("\n", 1), `killed before write ${nth}`).toEqual([
        "**Review.** Findings: 2 new, 1 updated, 1 as before, 1 fixed and resolved, 1 fixed.",
      ]);
      expect(seen(number), `killed before write ${nth}`).toMatchObject({ reviews: 2, remarks: 4 });
      if (lived) return;
    }
  });
});

describe("a cancel that comes while the plan is being opened", () => {
  it("drops the plan that was opened meanwhile", async () => {
    await scriptNow(world, { draft: answers(planAnswer([draftStage("count")])) });
    const number = world.issue({ body: "Count words, in vain." });
    const id = await begin("plan", number, true);
    const engine = await world.engine();
    const { planBranch } = engine;
    const late: RepoEngine = {
      ...engine,
      planBranch: {
        ...planBranch,
        async offerPlan(spec) {
          await cancelTask(engine, id, "ada");
          return planBranch.offerPlan(spec);
        },
      },
    };
    await goOn(late, id);
    expect((await engine.tasks.get(id)).outcome).toEqual({ kind: "cancelled", by: "ada" });
    const run = await world.until(
      async () => (await world.runs()).find(({ origin }) => origin?.issue === number && origin),
      "the run",
    );
    await world.until(async () => (await engine.runs.get(run.id)).status === "cancelled", "its end");
    const said = world.said(number).find((body) => body.includes(`task-${id}`));
    expect(said?.split("\n")[0]?.replace(/#\d+/, "#PLAN")).toMatchInlineSnapshot(
      `"Planning was stopped by ada, just as #PLAN was opened; that plan is dropped. \`/loom run\` starts again."`,
    );
  });
});
