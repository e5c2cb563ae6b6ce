import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { driveRun } from "../../workers/drive-run.ts";
import { expectSoundLedger, expectTidy, makeScene, mergedStages, sessionsOf } from "../support/chaos.ts";
import type { Line } from "../support/loom-cli.ts";
import { begin, cutPower, type Moment, openWorld, RUN } from "./engine-world.ts";

const STAGES = ["one", "two", "three", "four"].map((id, at, all) => ({
  id,
  dependencies: all.slice(at - 1, at),
  acceptance: [`grep -q ${id} ${id}.txt`],
}));
const AGENT =
  'echo "$LOOM_STAGE_ID $LOOM_ATTEMPT" >> "$CHAOS/sessions"; cat "$LOOM_STAGE_ID.txt" > "$CHAOS/found-$LOOM_STAGE_ID" 2>/dev/null; echo "$LOOM_STAGE_ID" > "$LOOM_STAGE_ID.txt"';

/** Of one run, in the order of its stages. A stage is cut off at most twice: the third time it would be put into quarantine. */
const CUTS: readonly (readonly [stage: string, what: string, when: "before" | "after", moment: Moment])[] = [
  ["one", "behind the claim", "after", "append attempt-started"],
  ["one", "behind the commit, with the ledger told (F3)", "after", "append attempt-committed"],
  ["two", "behind the end of the session, before there is a commit", "after", "append session-ended"],
  ["two", "behind the branch, before the ledger knows it (F4)", "after", "forge.publish"],
  ["three", "behind the commit, before the ledger knows it (F3)", "after", "workspace.commit"],
  ["three", "between the intent and the swap", "before", "forge.merge"],
  ["three", "behind the merge, with the ledger told", "after", "append stage-merged"],
  ["four", "behind the branch, with the ledger told (F4)", "after", "append stage-published"],
  ["four", "behind the swap, before the ledger knows it (F6)", "after", "forge.merge"],
  ["", "behind the closing commit, before the ledger knows it", "after", "forge.record"],
];

/** The stage that was at work last. */
function lastStage(events: readonly Line[]): string {
  return String(events.findLast(({ type }) => type === "attempt-started")?.stage);
}

describe("a power cut", () => {
  it("costs no more than time, behind whatever write and before the next", async () => {
    const scene = makeScene(STAGES);
    for (const [stage, what, when, moment] of CUTS) {
      const cut = cutPower(when, moment);
      const world = await openWorld(scene, AGENT, cut);
      if (scene.ledger().length === 0) await begin(world);
      const ended = driveRun(world.engine, RUN, new AbortController().signal).then(() => "ended");
      expect(await Promise.race([cut.gone, ended]), what).toBe(undefined);
      await world.die();
      if (stage !== "") expect(lastStage(scene.ledger()), what).toBe(stage);
    }

    const last = await openWorld(scene, AGENT);
    const { run } = await driveRun(last.engine, RUN, new AbortController().signal);
    await last.local.close();
    expect(run).toMatchObject({ status: "completed", recorded: expect.any(String) });
    // Only what no commit held yet was done twice, and the agent found it again.
    expect(sessionsOf(scene)).toEqual({ one: 1, two: 2, three: 2, four: 1 });
    for (const stage of ["two", "three"]) expect(scene.read(`found-${stage}`)).toBe(`${stage}\n`);
    const ids = STAGES.map(({ id }) => id);
    expect(mergedStages(scene)).toEqual(ids);
    expect([...run.stages.values()].map(({ attempts, failures }) => [attempts, failures])).toEqual(
      ids.map(() => [1, []]),
    );
    for (const id of ids) expect(existsSync(join(scene.repo.root, `${id}.txt`))).toBe(true);
    expectSoundLedger(scene.ledger());
    expectTidy(scene);
  });

  it("behind the branch leads to no second proof, which might end otherwise", async () => {
    const flaky = 'if [ -e "$CHAOS/flaky" ]; then exit 1; fi';
    const scene = makeScene([{ id: "one", acceptance: [flaky], retries: 0 }]);
    const cut = cutPower("after", "forge.publish");
    const first = await openWorld(scene, AGENT, cut);
    await begin(first);
    void driveRun(first.engine, RUN, new AbortController().signal);
    await cut.gone;
    await first.die();
    scene.write("flaky", "");
    const second = await openWorld(scene, AGENT);
    const { run } = await driveRun(second.engine, RUN, new AbortController().signal);
    await second.local.close();
    expect(run.status).toBe("completed");
    expect(mergedStages(scene)).toEqual(["one"]);
  });
});
