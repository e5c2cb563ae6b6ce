import { describe, expect, it } from "vitest";
import { expectSoundLedger, expectTidy, makeScene, mergedStages, type Scene } from "../support/chaos.ts";
import { until } from "../support/living-processes.ts";
import { ending, type LoomProcess } from "../support/loom-cli.ts";
import { BY_THE_CLOCK } from "../support/quickly.ts";

const STAGE = [{ id: "one", acceptance: ["grep -q part part.txt && grep -q whole whole.txt"] }];
const HANGS = 'echo part > part.txt; setsid sleep 600 & touch "$CHAOS/hanging"; sleep 600';
const STUBBORN = `trap '' TERM INT; ${HANGS}; while :; do sleep 600; done`;
const GOES_ON = 'cat part.txt > "$CHAOS/found"; echo whole > whole.txt';

async function hanging(scene: Scene, agent: string): Promise<LoomProcess> {
  const loom = scene.start(["run", "PLAN.md", "--json"], agent);
  await until(() => scene.has("hanging"), "the agent is at work");
  return loom;
}

describe("asked to stop in the middle of a stage (F26)", () => {
  it.each(["SIGTERM", "SIGINT"] as const)(
    "%s ends the agent, keeps its work and charges nothing",
    async (signal) => {
      const scene = makeScene(STAGE);
      const loom = await hanging(scene, HANGS);
      loom.kill(signal);
      const stopped = await loom.finished;
      expect(stopped.code).toBe(130);
      expect(ending(stopped).status).toBe("interrupted");
      expect(scene.living()).toEqual([]);
      expectTidy(scene);

      const resumed = await scene.ask(["resume", "--json"], GOES_ON);
      expect(ending(resumed).status).toBe("completed");
      expect(ending(resumed).stages.one).toMatchObject({ state: "completed", attempts: 1 });
      expect(scene.read("found")).toBe("part\n");
      const events = scene.ledger();
      expect(events.filter((event) => event.type === "attempt-failed")).toEqual([]);
      expect(events.filter((event) => event.type === "attempt-interrupted")).toMatchObject([
        { reason: "stopped" },
      ]);
      expect(mergedStages(scene)).toEqual(["one"]);
      expectSoundLedger(events);
      expectTidy(scene);
    },
  );

  it("a second signal does not wait, and still leaves nothing alive", BY_THE_CLOCK, async () => {
    const scene = makeScene(STAGE);
    const loom = await hanging(scene, STUBBORN);
    loom.kill("SIGINT");
    await loom.event("notice");
    const asked = performance.now();
    loom.kill("SIGINT");
    const stopped = await loom.finished;
    expect(stopped.code).toBe(130);
    // The agent ignores the kind request, and whoever waited for it would wait for seconds.
    expect(performance.now() - asked).toBeLessThan(4_000);
    await until(() => scene.living().length === 0, "the reaper has ended what was left");

    const resumed = await scene.ask(["resume", "--json"], GOES_ON);
    expect(ending(resumed).stages.one).toMatchObject({ state: "completed", attempts: 1 });
    expect(scene.read("found")).toBe("part\n");
    expectTidy(scene);
  });
});
