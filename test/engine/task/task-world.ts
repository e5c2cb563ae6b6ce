import { onTestFinished } from "vitest";
import type { TaskKind } from "../../../src/core/command/task-kinds.ts";
import { NO_FINDINGS } from "../../../src/core/findings/earlier-finding.ts";
import type { AgentFailure } from "../../../src/core/session/agent-failure.ts";
import type { TaskCreated } from "../../../src/core/task/task-events.ts";
import { refusedFor, type TaskChannel } from "../../../src/engine/task/task-channel.ts";
import type { TaskEngine } from "../../../src/engine/task/task-engine.ts";
import type { Harness, HarnessEvent, SessionEnd, SessionSpec } from "../../../src/ports/harness.ts";
import type { Leases } from "../../../src/ports/leases.ts";
import { openLocal } from "../../../src/wiring/local.ts";
import { taskCreated } from "../../support/a-task.ts";
import { makeRepo, type TestRepo } from "../../support/git-repo.ts";

/** What an agent does when it is its turn. */
export type Turn = {
  readonly says?: string;
  readonly fails?: AgentFailure;
  readonly resume?: string | null;
  readonly costUsd?: number;
  /** It tells them without their price. */
  readonly tokens?: number;
  /** It says nothing until it is stopped. */
  readonly hangs?: boolean;
};

export type Told = {
  readonly harness: Harness;
  readonly specs: SessionSpec[];
  /** The sessions that it was told to end. */
  readonly stops: string[];
  /** Resolves when it is started for the first time. */
  readonly started: Promise<void>;
};

/** An agent that takes its turns, the last one again and again, and keeps what it was started with. */
export function aHarness(id: string, turns: readonly Turn[]): Told {
  const specs: SessionSpec[] = [];
  const stops: string[] = [];
  let onStart = (): void => {};
  const started = new Promise<void>((resolve) => {
    onStart = resolve;
  });
  const harness: Harness = {
    id,
    speaks: true,
    model: `${id}-model`,
    smallModel: null,
    check: async () => ({ kind: "ready", detail: "" }),
    start(spec) {
      const turn = turns[specs.length] ?? turns.at(-1) ?? {};
      specs.push(spec);
      let letGo = (): void => {};
      const stopped = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      const end: SessionEnd = {
        exit: turn.hangs
          ? { kind: "signalled", signal: "SIGTERM" }
          : { kind: "exited", code: turn.fails ? 1 : 0 },
        failure: turn.fails ?? null,
        text: turn.says ?? null,
        resume: turn.resume ?? null,
        deniedHosts: [],
      };
      onStart();
      return {
        events: told(turn, stopped),
        end: turn.hangs ? stopped.then(() => end) : Promise.resolve(end),
        stop: async () => {
          stops.push(spec.session);
          letGo();
        },
      };
    },
  };
  return { harness, specs, stops, started };
}

async function* told({ costUsd, tokens, hangs }: Turn, stopped: Promise<void>): AsyncGenerator<HarnessEvent> {
  if (tokens !== undefined)
    yield { kind: "usage", usage: { inputTokens: tokens, outputTokens: 0, costUsd: null } };
  if (costUsd !== undefined) yield { kind: "usage", usage: { inputTokens: 1, outputTokens: 1, costUsd } };
  if (hangs) await stopped;
}

/** Somebody who hands over, and keeps what was asked of them. */
export function aChannel(more: Partial<TaskChannel> = {}): TaskChannel & { readonly acts: string[] } {
  const acts: string[] = [];
  return {
    acts,
    async ask({ assessment }) {
      acts.push(`ask ${assessment?.questions.length}`);
      return { comment: 11, answers: null };
    },
    async remind() {
      acts.push("remind");
    },
    async sayDefaults({ answers }) {
      acts.push(`defaults ${answers?.map(({ text }) => text).join()}`);
    },
    fetch: async () => {},
    earlierFindings: async () => NO_FINDINGS,
    planToAmend: async () => null,
    async deliver(task) {
      acts.push(
        `deliver ${task.cancelledBy === null ? (task.answer ?? "what is there") : "that it is cancelled"}`,
      );
      return task.cancelledBy === null ? { kind: "answered" } : { kind: "cancelled", by: task.cancelledBy };
    },
    async giveUp(_task, why) {
      acts.push(`give up: ${why.reason}`);
      return refusedFor(why);
    },
    ...more,
  };
}

export type Clock = { now: number };
export const aClock = (): Clock => ({ now: Date.parse("2026-03-01T10:00:00.000Z") });

type WorkerOptions = {
  readonly repo: TestRepo;
  readonly agents: readonly Told[];
  readonly clock?: Clock;
  /** Of the workers that live beside this one. */
  readonly leases?: Leases;
};

/** One process: an engine over the real store and real work trees, with these agents. */
export async function aWorker({
  repo,
  agents,
  clock = aClock(),
  leases,
}: WorkerOptions): Promise<TaskEngine> {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, LOOM_SANDBOX: "off" };
  const local = await openLocal({ cwd: repo.root, env, feed: () => {}, runsAgents: true });
  onTestFinished(() => local.close());
  return {
    ...local.engine,
    ...(leases ? { leases } : {}),
    now: () => clock.now,
    harness: (id) => {
      const found = agents.find(({ harness }) => harness.id === id);
      if (!found) throw new Error(`nobody is called ${id}`);
      return found.harness;
    },
  };
}

export const aRepository = (): TestRepo => makeRepo({ "README.md": "hello\n", "src/a.js": "1\n" });

export async function beginTask(
  engine: TaskEngine,
  repo: TestRepo,
  kind: TaskKind,
  more: Partial<TaskCreated> = {},
): Promise<string> {
  const created = taskCreated(kind, { commit: repo.sha("HEAD"), ...more });
  const written = await engine.tasks.create(created.task, [created]);
  if (!written) throw new Error("there is such a task already");
  return created.task;
}

/** The types of what was written, in their order. */
export async function ledgerOf(engine: TaskEngine, id: string): Promise<string[]> {
  const { events } = await engine.taskStore.load(id);
  return events.map(({ type }) => type);
}
