import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { driveRun } from "../../workers/drive-run.ts";
import { expectSoundLedger, expectTidy, makeScene, mergedStages, sessionsOf } from "../support/chaos.ts";
import { begin, cutPower, openWorld, RUN } from "./engine-world.ts";

const STAGES = [
  { id: "one", acceptance: ["grep -q one one.txt"] },
  { id: "two", dependencies: ["one"], acceptance: ["grep -q two two.txt"] },
];
const AGENT =
  'echo "$LOOM_STAGE_ID $LOOM_ATTEMPT" >> "$CHAOS/sessions"; cat *.txt > "$CHAOS/found-$LOOM_STAGE_ID" 2>/dev/null; echo "$LOOM_STAGE_ID" > "$LOOM_STAGE_ID.txt"';

describe("a power cut", () => {
  it.each([
    ["behind the claim", "after", "append attempt-started", 1],
    ["behind the end of the session, before there is a commit", "after", "append session-ended", 2],
    ["behind the commit, before the ledger knows it (F3)", "after", "workspace.commit", 2],
    ["behind the commit, with the ledger told (F3)", "after", "append attempt-committed", 1],
    ["behind the branch, before the ledger knows it (F4)", "after", "forge.publish", 1],
    ["behind the branch, with the ledger told (F4)", "after", "append stage-published", 1],
    ["between the intent and the swap", "before", "forge.merge", 1],
    ["behind the swap, before the ledger knows it (F6)", "after", "forge.merge", 1],
    ["behind the merge, with the ledger told", "after", "append stage-merged", 1],
    ["behind the closing commit, before the ledger knows it", "after", "forge.record", 1],
  ] as const)("%s costs no more than time", async (_name, when, moment, sessions) => {
    const scene = makeScene(STAGES);
    const cut = cutPower(when, moment);
    const first = await openWorld(scene, AGENT, cut);
    await begin(first);
    void driveRun(first.engine, RUN, new AbortController().signal);
    await cut.gone;
    await first.die();

    const second = await openWorld(scene, AGENT);
    const { run } = await driveRun(second.engine, RUN, new AbortController().signal);
    await second.local.close();
    expect(run).toMatchObject({ status: "completed", recorded: expect.any(String) });
    expect(sessionsOf(scene)).toEqual({ one: sessions, two: 1 });
    expect(mergedStages(scene)).toEqual(["one", "two"]);
    expect([...run.stages.values()].map(({ attempts, failures }) => [attempts, failures])).toEqual([
      [1, []],
      [1, []],
    ]);
    for (const name of ["one.txt", "two.txt"]) expect(existsSync(join(scene.repo.root, name))).toBe(true);
    // Cut off behind its work, an agent finds it again.
    if (sessions === 2) expect(scene.read("found-one")).toBe("one\n");
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
