import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createSupervisor } from "../../src/adapters/sandbox/processes/process-supervisor.ts";
import type { Harness, HarnessEvent, HarnessSession } from "../../src/ports/harness.ts";
import type { ProcessSupervisor } from "../../src/ports/process-supervisor.ts";
import { livingWith, until } from "../support/living-processes.ts";
import { aSessionSpec } from "../support/session-spec.ts";

/** What an agent is to do, in words that every harness under test can be made to follow. */
export type Deed =
  | { readonly print: string }
  | { readonly say: string }
  | { readonly ask: string }
  | { readonly usage: { readonly input: number; readonly output: number; readonly costUsd: number } }
  | { readonly write: { readonly path: string; readonly text: string } }
  | { readonly shell: string }
  | { readonly exit: number }
  | { readonly stall: true };

export type HarnessWorld = {
  readonly supervisor: ProcessSupervisor;
  /** Free for the harness's own files; outside the work tree. */
  readonly folder: string;
};

/** Makes a harness whose agent does these deeds, whatever it is asked. */
export type MakeHarness = (world: HarnessWorld, deeds: readonly Deed[]) => Promise<Harness>;

/** What the engine relies on, of whichever agent CLI. */
export function describeHarness(name: string, makeHarness: MakeHarness): void {
  describe(`the harness ${name}`, () => {
    let world: HarnessWorld & { readonly tree: string };
    let count = 0;

    beforeEach(async () => {
      const folder = await mkdtemp(join(tmpdir(), "loom-harness-"));
      const tree = await mkdtemp(join(tmpdir(), "loom-tree-"));
      world = { supervisor: createSupervisor(), folder, tree };
    });
    afterEach(async () => {
      await world.supervisor.close();
      await rm(world.folder, { recursive: true });
      await rm(world.tree, { recursive: true });
    });

    async function start(deeds: readonly Deed[]): Promise<HarnessSession & { readonly marker: string }> {
      const harness = await makeHarness(world, deeds);
      expect(await harness.check()).toMatchObject({ kind: "ready" });
      const promptFile = join(world.folder, "signal.md");
      const prompt = "# Assignment\n\nBuild it.\n";
      await writeFile(promptFile, prompt);
      const marker = `harness-${process.pid}-${name}-${++count}`;
      const home = await mkdtemp(join(world.folder, "home-"));
      const spec = aSessionSpec({
        run: "demo-1a2b",
        stage: "build",
        session: "s1",
        marker,
        tree: world.tree,
        home,
        prompt,
        promptFile,
      });
      return { ...harness.start(spec), marker };
    }

    async function eventsOf(session: HarnessSession): Promise<HarnessEvent[]> {
      const events: HarnessEvent[] = [];
      for await (const event of session.events) events.push(event);
      return events;
    }

    async function waitForActivity(session: HarnessSession, text: string): Promise<void> {
      const iterator = session.events[Symbol.asyncIterator]();
      for (;;) {
        const { done, value } = await iterator.next();
        if (done) throw new Error(`the agent ended before it said ${text}`);
        if (value.kind === "activity" && value.text === text) return;
      }
    }

    it("lets the agent work in the tree and tells how it ended", async () => {
      const session = await start([{ write: { path: "src/a.txt", text: "hello\n" } }]);
      await eventsOf(session);
      expect(await session.end).toEqual({
        exit: { kind: "exited", code: 0 },
        failure: null,
        text: null,
        resume: null,
        deniedHosts: [],
      });
      expect(await readFile(join(world.tree, "src/a.txt"), "utf8")).toBe("hello\n");
    });

    it("tells what the agent says in the order in which it says it", async () => {
      const session = await start([
        { say: "reads the plan" },
        { print: "plain words" },
        { usage: { input: 120, output: 30, costUsd: 0.25 } },
        { say: "writes tests" },
        { ask: "Which port?" },
      ]);
      const events = await eventsOf(session);
      expect(events.slice(-5)).toEqual([
        { kind: "activity", text: "reads the plan" },
        { kind: "output", text: "plain words" },
        { kind: "usage", usage: { inputTokens: 120, outputTokens: 30, costUsd: 0.25 } },
        { kind: "activity", text: "writes tests" },
        { kind: "ask", question: "Which port?" },
      ]);
      expect(await session.end).toMatchObject({ exit: { kind: "exited", code: 0 } });
    });

    it("tells events while the agent is still at work", async () => {
      const session = await start([{ say: "begins" }, { stall: true }]);
      await waitForActivity(session, "begins");
      await session.stop(0);
    });

    it("hands on the agent's exit code, and knows one that means: later", async () => {
      const failing = await start([{ exit: 3 }]);
      await eventsOf(failing);
      expect(await failing.end).toMatchObject({ exit: { kind: "exited", code: 3 }, failure: null });
      const later = await start([{ exit: 75 }]);
      await eventsOf(later);
      expect(await later.end).toMatchObject({
        failure: { kind: "overloaded", message: expect.stringContaining("try again later") },
      });
    });

    it("stops an agent that stalls, and ends its events", async () => {
      const session = await start([{ say: "hangs" }, { stall: true }]);
      const events = eventsOf(session);
      await until(() => livingWith(`LOOM_MARKER=${session.marker}`).length > 0, "the agent runs");
      await session.stop(100);
      await events;
      expect((await session.end).exit.kind).toBe("signalled");
      expect(livingWith(`LOOM_MARKER=${session.marker}`)).toEqual([]);
    });

    it("takes along what the agent left running", async () => {
      const session = await start([{ shell: "setsid sleep 1000 > /dev/null 2>&1 &" }, { say: "is done" }]);
      await eventsOf(session);
      await session.end;
      expect(livingWith(`LOOM_MARKER=${session.marker}`)).toEqual([]);
    });

    it("tells the agent what its session is about, and nothing of Loom's own or git's", async () => {
      const session = await start([
        { shell: 'env | grep -E "^(LOOM|GIT)_" | grep -vE "^LOOM_(MARKER|OWNER)=" | sort > seen.txt' },
        { shell: "cat $LOOM_PROMPT > prompt.txt" },
      ]);
      await eventsOf(session);
      expect((await readFile(join(world.tree, "seen.txt"), "utf8")).split("\n")).toEqual([
        "LOOM_ATTEMPT=1",
        expect.stringMatching(/^LOOM_PROMPT=\/.*prompt-s1\.md$/),
        "LOOM_RUN_ID=demo-1a2b",
        "LOOM_STAGE_ID=build",
        "",
      ]);
      expect(await readFile(join(world.tree, "prompt.txt"), "utf8")).toBe("# Assignment\n\nBuild it.\n");
    });
  });
}
