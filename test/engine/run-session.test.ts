import { describe, expect, it } from "vitest";
import { createRunFiles } from "../../src/adapters/local/run-files.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { runSession, type SessionRequest } from "../../src/engine/run-session.ts";
import type { FeedItem } from "../../src/ports/feed.ts";
import type { Harness, HarnessEvent, SessionEnd } from "../../src/ports/harness.ts";
import type { RunFiles } from "../../src/ports/run-files.ts";
import { tempFolder } from "../support/git-repo.ts";

const EXIT_0: SessionEnd = { exit: { kind: "exited", code: 0 }, transient: null };
const SIGNALLED: SessionEnd = { exit: { kind: "signalled", signal: "SIGTERM" }, transient: null };

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
    signal: "Do it.",
    model: null,
    effort: null,
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
    [
      "with an error",
      { exit: { kind: "exited", code: 3 }, transient: null },
      [],
      { kind: "failed", code: 3 },
    ],
    [
      "with an error, whatever it asked before",
      { exit: { kind: "exited", code: 3 }, transient: null },
      [{ kind: "ask", question: "Which?" }],
      { kind: "failed", code: 3 },
    ],
    [
      "killed",
      { exit: { kind: "signalled", signal: "SIGSEGV" }, transient: null },
      [],
      { kind: "crashed", signal: "SIGSEGV" },
    ],
    [
      "with the provider away",
      { exit: { kind: "exited", code: 75 }, transient: "overloaded" },
      [],
      { kind: "transient", reason: "overloaded" },
    ],
    [
      "before it began",
      { exit: { kind: "not-started", reason: "no such file" }, transient: null },
      [],
      { kind: "not-started", reason: "no such file" },
    ],
  ])("%s", async (_name, end, says, expected) => {
    const { engine } = world();
    const { outcome } = await runSession(engine, request(agent(says, { end }).harness));
    expect(outcome).toEqual(expected);
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
