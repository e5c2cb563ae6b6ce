import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commandLineOf, isAlive, until } from "../../support/living-processes.ts";
import { BY_THE_CLOCK } from "../../support/quickly.ts";
import { DRIVEN_CLIS } from "./driven-clis.ts";
import { createSessionBench, type RunningSession, type SessionBench } from "./session-bench.ts";

/** Long enough for the kind ones; those that ignore it are ended when it is over. */
const GRACE_MS = 2_000;

/**
 * Left to themselves, gemini ignores a SIGTERM, and gemini and opencode leave their tools running. In a room none of that
 * matters.
 */
describe.each(DRIVEN_CLIS)("a session of $id that is stopped", (cli) => {
  let bench: SessionBench;
  beforeAll(async () => {
    bench = await createSessionBench(cli);
  });
  afterAll(() => bench.dispose());

  const stop = async ({ session, living, heard }: RunningSession): Promise<void> => {
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
  };

  it("ends although the model never answers", BY_THE_CLOCK, async () => {
    const server = await bench.serve({ script: [{ hang: "before-headers" }] });
    const harness = await bench.harnessFor(server.url);
    const running = bench.start(harness, { home: bench.home("silent") });
    await server.waitFor(({ purpose }) => purpose === "turn");
    await stop(running);
  });

  it(
    "takes its tools along, those in a session of their own and those that ignore signals, too",
    BY_THE_CLOCK,
    async () => {
      const tool = [
        "setsid sleep 1001 & ",
        "sh -c 'trap \"\" TERM HUP INT; sleep 1002; sleep 1003' & ",
        "sleep 1004",
      ].join("");
      const server = await bench.serve({ script: [{ tools: [{ shell: tool }] }] });
      const harness = await bench.harnessFor(server.url);
      const running = bench.start(harness, { home: bench.home("busy") });
      const sleeps = () => running.living().filter((pid) => /^sleep 100[124] $/.test(commandLineOf(pid)));
      await until(() => sleeps().length === 3, "all three sleep");
      await stop(running);
    },
  );
});
