import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commandLineOf, isAlive, until } from "../../support/living-processes.ts";
import { BY_THE_CLOCK } from "../../support/quickly.ts";
import { DRIVEN_CLIS } from "./driven-clis.ts";
import { createSessionBench, type RunningSession, type SessionBench } from "./session-bench.ts";

/** Long enough for the kind ones; those that ignore it are ended when it is over. */
const GRACE_MS = 2_000;

/** Two tools in sessions or of a mind of their own, and one that the agent waits for. */
const TOOL = [
  "setsid sleep 1001 & ",
  "sh -c 'trap \"\" TERM HUP INT; sleep 1002; sleep 1003' & ",
  "sleep 1004",
].join("");

/**
 * Left to themselves, gemini ignores a SIGTERM, and gemini and opencode leave their tools running. In a sandbox none of that
 * matters.
 */
describe.each(DRIVEN_CLIS)("a session of $id that is stopped", (cli) => {
  let bench: SessionBench;
  beforeAll(async () => {
    bench = await createSessionBench(cli);
  });
  afterAll(() => bench.dispose());

  /** The conversation that it can be gone on with. */
  const stop = async ({ session, living, heard }: RunningSession): Promise<string | null> => {
    const before = living();
    expect(before.length).toBeGreaterThan(0);
    const began = performance.now();
    await session.stop(GRACE_MS);
    expect(before.filter(isAlive)).toEqual([]);
    expect(living()).toEqual([]);
    // Without the help of the model, which never answers.
    expect(performance.now() - began).toBeLessThan(GRACE_MS + 10_000);
    const { end } = await heard;
    expect(end.failure?.kind).toBe("cut-off");
    return end.resume;
  };

  it(
    "ends although the model never answers, can be gone on with, and takes its tools along, those in a session of their own and those that ignore signals, too",
    BY_THE_CLOCK,
    async () => {
      const server = await bench.serve({
        script: [
          { say: "I begin.", tools: [{ read: "README.md" }] },
          // As full as a conversation may be before it has to be handed on, which Loom hears while the model is silent.
          { tools: [{ read: "precious/thing.txt" }], usage: { input: cli.nearlyFull, output: 10 } },
          { hang: "before-headers", times: 1 },
          // Some take the end for an answer of the model's, so this is not always the third.
          () => ({ tools: [{ shell: TOOL }] }),
        ],
      });
      const harness = await bench.harnessFor(server.url);
      const home = bench.home("one");
      const silent = bench.start(harness, { home, task: "Begin with it.\n" });
      await server.waitFor(({ purpose, turns }) => purpose === "turn" && turns === 2);
      const share = () =>
        silent.events.flatMap((event) => (event.kind === "context" ? [event.used / event.window] : []));
      await until(() => (share().at(-1) ?? 0) > 0.65, "it is told that hardly any room is left");
      const resume = await stop(silent);

      const busy = bench.start(harness, { home, resume, task: "Go on.\n" });
      const sleeps = () => busy.living().filter((pid) => /^sleep 100[124] $/.test(commandLineOf(pid)));
      await until(() => sleeps().length === 3, "all three sleep");
      const asked = server.requests().find(({ lastUserText }) => lastUserText.includes("Go on."));
      expect(asked?.turns).toBeGreaterThanOrEqual(2);
      expect(asked?.userTexts.join("\n")).toContain("Begin with it.");
      await stop(busy);
    },
  );
});
