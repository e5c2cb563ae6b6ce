import { describe, expect, it } from "vitest";
import { createRunFiles } from "../../../src/adapters/local/run-files.ts";
import type { AgentFailure, AgentFailureKind } from "../../../src/core/session/agent-failure.ts";
import type { Engine } from "../../../src/engine/engine.ts";
import { runSession } from "../../../src/engine/session/run-session.ts";
import type { SessionRequest } from "../../../src/engine/session/session-types.ts";
import type { FeedItem } from "../../../src/ports/feed.ts";
import type { Harness, HarnessEvent, SessionEnd } from "../../../src/ports/harness.ts";
import type { RunFiles } from "../../../src/ports/run-files.ts";
import { tempFolder } from "../../support/git-repo.ts";

const ended = (exit: SessionEnd["exit"], more: Partial<SessionEnd> = {}): SessionEnd => ({
  exit,
  failure: null,
  text: null,
  resume: null,
  deniedHosts: [],
  ...more,
});
const EXIT_0 = ended({ kind: "exited", code: 0 });
const SIGNALLED = ended({ kind: "signalled", signal: "SIGTERM" });
const failure = (kind: AgentFailureKind): AgentFailure => ({ kind, message: "so it is", resetsAt: null });

/** An agent that says these things, one after the other with a pause, and ends; or not, until it is stopped. */
function agent(
  says: readonly HarnessEvent[],
  { end = EXIT_0, hangs = false, pauseMs = 0 }: { end?: SessionEnd; hangs?: boolean; pauseMs?: number } = {},
) {
  let stop = (): void => {};
  let stops = 0;
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const harness: Harness = {
    id: "told",
    speaks: true,
    model: null,
    smallModel: null,
    check: async () => ({ kind: "ready", detail: "" }),
    start: () => ({
      events: (async function* () {
        for (const event of says) {
          yield event;
          if (pauseMs > 0)
            await Promise.race([stopped, new Promise((resolve) => setTimeout(resolve, pauseMs))]);
        }
        if (hangs) await stopped;
      })(),
      end: hangs ? stopped.then(() => SIGNALLED) : Promise.resolve(end),
      stop: async () => {
        stops += 1;
        stop();
      },
    }),
  };
  return { harness, stops: () => stops };
}

function world(change: Partial<RunFiles> = {}) {
  const items: FeedItem[] = [];
  // Beats are written without anybody waiting for them; one that comes late would meet a folder that is being removed.
  const files = { ...createRunFiles({ root: tempFolder() }), writeHeartbeat: async () => {}, ...change };
  const part: Pick<Engine, "files" | "feed" | "now"> = {
    files,
    feed: (item) => void items.push(item),
    now: Date.now,
  };
  return { engine: part as Engine, items, files };
}

function request(harness: Harness, more: Partial<SessionRequest> = {}): SessionRequest {
  return {
    claim: { run: "r-1", stage: "a", attempt: 1, token: "c" },
    harness,
    session: "a-1-x",
    marker: "c",
    tree: "/nowhere",
    home: "/nowhere",
    prompt: { text: "Do it.", rules: "Do", task: "it." },
    model: null,
    effort: null,
    resume: null,
    tools: "all",
    temperature: null,
    maxTurns: null,
    sandboxSpec: {
      hidden: [],
      readOnly: [],
      writable: [],
      network: { allow: [] },
      limits: { processes: 1, memoryBytes: 1, fileBytes: 1, diskBytes: 1 },
    },
    judge: null,
    contextBudget: 65,
    ceilingSecs: 60,
    stallSecs: 60,
    abort: new AbortController().signal,
    ...more,
  };
}

const output = (text: string): HarnessEvent => ({ kind: "output", text });
const usage: HarnessEvent = { kind: "usage", usage: { inputTokens: 2, outputTokens: 1, costUsd: null } };
const activity: HarnessEvent = { kind: "activity", text: "reading" };

describe("how a session ended", () => {
  it.each<[string, SessionEnd, readonly HarnessEvent[], object]>([
    ["by itself", EXIT_0, [output("hi")], { kind: "finished" }],
    ["with a question", EXIT_0, [{ kind: "ask", question: "Which?" }], { kind: "asked", question: "Which?" }],
    ["with an error", ended({ kind: "exited", code: 3 }), [], { kind: "failed", code: 3, failure: null }],
    [
      "with an error, whatever it asked before",
      ended({ kind: "exited", code: 3 }),
      [{ kind: "ask", question: "Which?" }],
      { kind: "failed", code: 3, failure: null },
    ],
    ["killed", ended({ kind: "signalled", signal: "SIGSEGV" }), [], { kind: "crashed", signal: "SIGSEGV" }],
    [
      "with the provider away",
      ended({ kind: "exited", code: 75 }, { failure: failure("overloaded") }),
      [],
      { kind: "failed", code: 75, failure: failure("overloaded") },
    ],
    [
      "with the key refused, although it exits with 0",
      ended({ kind: "exited", code: 0 }, { failure: failure("auth") }),
      [],
      { kind: "failed", code: 0, failure: failure("auth") },
    ],
    [
      "without a word about how it went",
      ended({ kind: "exited", code: 0 }, { failure: failure("cut-off") }),
      [output("half a li")],
      { kind: "failed", code: 0, failure: failure("cut-off") },
    ],
    [
      "with the conversation too long for the model",
      ended({ kind: "exited", code: 1 }, { failure: failure("context") }),
      [],
      { kind: "exhausted", overflow: true },
    ],
    [
      "before it began",
      ended({ kind: "not-started", reason: "no such file" }),
      [],
      { kind: "not-started", reason: "no such file" },
    ],
  ])("%s", async (_name, end, says, expected) => {
    const { engine } = world();
    const { outcome } = await runSession(engine, request(agent(says, { end }).harness));
    expect(outcome).toEqual(expected);
  });

  it("is ended when it has spent what it may, unless it has come to its end by then", async () => {
    const usage = (costUsd: number): HarnessEvent => ({
      kind: "usage",
      usage: { inputTokens: 1, outputTokens: 1, costUsd },
    });
    const { harness, stops } = agent([usage(0.4), usage(0.7)], { hangs: true });
    const { outcome } = await runSession(world().engine, request(harness, { budgetUsd: 1 }));
    expect(outcome).toMatchObject({
      kind: "failed",
      failure: { kind: "turns", message: "It has spent what it may." },
    });
    expect(stops()).toBe(1);
    const last = agent([usage(1.1)]);
    expect((await runSession(world().engine, request(last.harness, { budgetUsd: 1 }))).outcome).toEqual({
      kind: "finished",
    });
  });

  it("is ended by its tokens where it names no price, unless it keeps its budget by itself", async () => {
    const tokens: HarnessEvent = {
      kind: "usage",
      usage: { inputTokens: 600_000, outputTokens: 1, costUsd: null },
    };
    const silent = agent([tokens], { hangs: true });
    expect(
      (await runSession(world().engine, request(silent.harness, { budgetUsd: 1 }))).outcome,
    ).toMatchObject({
      kind: "failed",
      failure: { message: "It has spent what it may." },
    });
    const { harness, stops } = agent([tokens]);
    await runSession(world().engine, request({ ...harness, keepsBudget: true }, { budgetUsd: 1 }));
    expect(stops()).toBe(0);
  });

  it("by the stall guard, the ceiling, or a stop from outside, each told apart", async () => {
    const { engine } = world();
    const hanging = () => agent([], { hangs: true }).harness;
    expect((await runSession(engine, request(hanging(), { stallSecs: 0.02 }))).outcome).toEqual({
      kind: "stalled",
    });
    expect((await runSession(engine, request(hanging(), { ceilingSecs: 0.02 }))).outcome).toEqual({
      kind: "timed-out",
    });
    const stop = new AbortController();
    const running = runSession(engine, request(hanging(), { abort: stop.signal }));
    stop.abort();
    expect((await running).outcome).toEqual({ kind: "aborted" });
    const late = await runSession(engine, request(hanging(), { abort: stop.signal }));
    expect(late.outcome).toEqual({ kind: "aborted" });
  });

  it.each<[string, HarnessEvent]>([
    ["output", output("still here")],
    ["usage", usage],
    ["activity", activity],
  ])("not by the stall guard while there is %s, but by the ceiling all the same", async (_name, event) => {
    const { engine } = world();
    const talking = agent(Array(12).fill(event), { pauseMs: 50 });
    expect((await runSession(engine, request(talking.harness, { stallSecs: 0.3 }))).outcome).toEqual({
      kind: "finished",
    });
    const endless = agent(Array(1_000).fill(event), { pauseMs: 50, hangs: true });
    expect(
      (await runSession(engine, request(endless.harness, { stallSecs: 5, ceilingSecs: 0.3 }))).outcome,
    ).toEqual({
      kind: "timed-out",
    });
  });

  it.each<[string, HarnessEvent]>([
    ["has used up its budget of context", { kind: "context", used: 660, window: 1_000 }],
    ["was shortened by its CLI", { kind: "compacted" }],
  ])("by Loom when the conversation %s", async (_name, event) => {
    const { engine } = world();
    const { harness, stops } = agent([event], { hangs: true });
    const result = await runSession(engine, request(harness));
    expect(result.outcome).toEqual({ kind: "exhausted", overflow: false });
    expect(stops()).toBe(1);
  });

  it("not by Loom while the context is only getting scarce, which people can see", async () => {
    const { engine, items, files } = world();
    const says: HarnessEvent[] = [{ kind: "context", used: 620, window: 1_000 }, output("done")];
    const result = await runSession(engine, request(agent(says).harness));
    expect(result).toMatchObject({ outcome: { kind: "finished" }, context: { used: 620, window: 1_000 } });
    expect(items).toMatchObject([{ kind: "activity", text: "62 % of the context is used" }]);
    expect((await files.readLogs("r-1", "a"))[0]?.text).toContain("62 % of the context is used");
  });

  it("by itself when its last words take it over the budget, or when it may fill what is left", async () => {
    const { engine } = world();
    const full: HarnessEvent = { kind: "context", used: 990, window: 1_000 };
    const last = await runSession(engine, request(agent([full]).harness));
    expect(last.outcome).toEqual({ kind: "finished" });
    const free = agent([full, output("the document")]);
    const result = await runSession(engine, request(free.harness, { contextBudget: null }));
    expect(result.outcome).toEqual({ kind: "finished" });
    expect(free.stops()).toBe(0);
  });

  it("with the question of a policy, whatever the agent would have done next", async () => {
    const { engine, files } = world();
    const { harness } = agent([], { hangs: true });
    const asking: Harness = {
      ...harness,
      start(spec) {
        queueMicrotask(() => spec.judge?.({ tool: "Bash", command: "echo a > b" }));
        return harness.start(spec);
      },
    };
    const judge = () => ({ kind: "ask", question: "May it run?" }) as const;
    const { outcome } = await runSession(engine, request(asking, { judge }));
    expect(outcome).toEqual({ kind: "asked", question: "May it run?" });
    expect((await files.readLogs("r-1", "a"))[0]?.text).toContain("Asked: May it run?");
  });

  it("is never a stall when the guard is off", async () => {
    const { engine } = world();
    const slow = agent([output("x"), output("y")], { pauseMs: 60 });
    expect((await runSession(engine, request(slow.harness, { stallSecs: 0 }))).outcome).toEqual({
      kind: "finished",
    });
  });
});

describe("what is kept of a session", () => {
  it("its output in the log, the end of it, and the sum of what it used", async () => {
    const { engine, files, items } = world();
    const says = [
      ...Array.from({ length: 100 }, (_, index) => output(`line ${index}`)),
      usage,
      usage,
      activity,
    ];
    const result = await runSession(engine, request(agent(says).harness));
    expect(result.usage).toEqual({ inputTokens: 4, outputTokens: 2, costUsd: null });
    expect(result.tail.split("\n")).toHaveLength(60);
    expect(result.tail).toContain("line 99");
    const [log] = await files.readLogs("r-1", "a");
    expect(log?.text).toContain("line 0\n");
    expect(log?.text).toContain("· reading\n");
    expect(items).toMatchObject([{ kind: "activity", text: "reading" }]);
  });

  it("a log that can't be written is a notice, and the work counts all the same", async () => {
    const { engine, items } = world({
      openLog: () => ({
        path: "/log",
        write: () => {},
        close: () => Promise.reject(new Error("Failed to write the log: ENOSPC")),
      }),
    });
    const result = await runSession(engine, request(agent([output("hi")]).harness));
    expect(result.outcome).toEqual({ kind: "finished" });
    expect(items).toEqual([{ kind: "notice", run: "r-1", text: "Failed to write the log: ENOSPC" }]);
  });

  it("an agent that nobody can listen to any more is stopped", async () => {
    const { engine } = world();
    const { harness, stops } = agent([activity], { hangs: true });
    const deaf: Engine = {
      ...engine,
      feed: () => {
        throw new Error("the onlooker is gone");
      },
    };
    await expect(runSession(deaf, request(harness))).rejects.toThrow("the onlooker is gone");
    expect(stops()).toBe(1);
  });

  it("no file stays open when the agent can't be started", async () => {
    let open = 0;
    const { engine, files } = world();
    const counted: Engine = {
      ...engine,
      files: {
        ...files,
        openLog: (...args) => {
          const log = files.openLog(...args);
          open += 1;
          return {
            ...log,
            close: async () => {
              open -= 1;
              await log.close();
            },
          };
        },
      },
    };
    const broken: Harness = {
      ...agent([]).harness,
      start: () => {
        throw new Error("no such program");
      },
    };
    await expect(runSession(counted, request(broken))).rejects.toThrow("no such program");
    expect(open).toBe(0);
  });
});
