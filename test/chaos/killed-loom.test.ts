import { describe, expect, it } from "vitest";
import { expectSoundLedger, expectTidy, makeScene, mergedStages, type Scene } from "../support/chaos.ts";
import { childrenOf, commandLineOf, isAlive, until } from "../support/living-processes.ts";
import { ending, type LoomProcess } from "../support/loom-cli.ts";

const STAGE = [{ id: "one", acceptance: ["grep -q part part.txt && grep -q whole whole.txt"] }];

/** Leaves half of its work, a child in a session of its own, and hangs. */
const HANGS = `
  echo part > part.txt
  setsid /bin/sh -c 'echo $$ > "$CHAOS/orphan"; exec sleep 600' &
  while ! [ -s "$CHAOS/orphan" ]; do sleep 0.01; done
  echo "got half way"
  touch "$CHAOS/hanging"
  sleep 600
`;
/** Tells what it found and was told, and does the rest. */
const GOES_ON =
  'cat part.txt > "$CHAOS/found" 2>&1; cat > "$CHAOS/prompt"; echo part > part.txt; echo whole > whole.txt';

async function hangingRun(scene: Scene): Promise<{ loom: LoomProcess; orphan: number }> {
  const loom = scene.start(["run", "PLAN.md", "--json"], HANGS);
  await until(() => scene.has("hanging"), "the agent is at work");
  return { loom, orphan: Number(scene.read("orphan")) };
}

function reaperOf(loom: LoomProcess): number {
  const reaper = childrenOf(loom.child.pid ?? 0).find((pid) => commandLineOf(pid).includes("loom-reaper"));
  if (reaper === undefined) throw new Error("there is no reaper");
  return reaper;
}

describe("kill -9 in the middle of an agent's work (F2)", () => {
  it("leaves nothing alive, not even children in a session of their own", async () => {
    const scene = makeScene(STAGE);
    const { loom, orphan } = await hangingRun(scene);
    expect(isAlive(orphan)).toBe(true);
    loom.kill("SIGKILL");
    await until(() => !isAlive(orphan) && scene.living().length === 0, "all of it is gone");
    await loom.finished;
  });

  it("lets the next session go on with the work, and says so", async () => {
    const scene = makeScene(STAGE);
    const { loom, orphan } = await hangingRun(scene);
    // With the reaper gone as well nobody is left to clean up but the next Loom.
    process.kill(reaperOf(loom), "SIGKILL");
    loom.kill("SIGKILL");
    await loom.finished;
    expect(isAlive(orphan)).toBe(true);

    const finished = await scene.ask(["resume", "--json"], GOES_ON);
    expect(isAlive(orphan)).toBe(false);
    expect(ending(finished).status).toBe("completed");
    expect(ending(finished).stages.one).toMatchObject({ state: "completed", attempts: 1 });
    expect(scene.read("found")).toBe("part\n");
    expect(scene.read("prompt")).toContain("# Recovery Signal");
    expect(scene.read("prompt")).toContain("+part");
    expect(mergedStages(scene)).toEqual(["one"]);
    expectSoundLedger(scene.ledger());
    expectTidy(scene);

    const report = scene.repo.git("show", `main:.loom/${ending(finished).run}/reports/crash-one-1.md`);
    expect(report).toContain("The session did not end by itself: Loom itself ended while it ran.");
    expect(report).toContain("    got half way");
    expect(report).toContain("+part");
  });
});

describe("an agent that kills Loom (F31)", () => {
  it("is quarantined after three times, and the run says so", async () => {
    const scene = makeScene([{ id: "bad" }, { id: "good", acceptance: ["test -f good.txt"] }]);
    const agent = `
      echo "$LOOM_STAGE_ID $LOOM_ATTEMPT" >> "$CHAOS/sessions"
      echo x > "$LOOM_STAGE_ID.txt"
      # The other stage is out of the way before Loom is killed.
      if [ "$LOOM_STAGE_ID" = bad ]; then
        while ! git log --format=%B main | grep -q 'Loom-Stage: good'; do sleep 0.02; done
        kill -9 $PPID; sleep 600
      fi`;
    const args = [
      ["run", "PLAN.md", "--json"],
      ["resume", "--json"],
      ["run", "PLAN.md", "--json"],
    ];
    for (const one of args) expect((await scene.run(one, agent)).signal).toBe("SIGKILL");
    const finished = await scene.run(["resume", "--json"], agent);
    expect(finished.code).toBe(1);
    expect(ending(finished).status).toBe("blocked");
    expect(ending(finished).stages).toMatchObject({
      bad: { state: "blocked" },
      good: { state: "completed" },
    });
    const blocked = scene.ledger().find((event) => event.type === "stage-blocked");
    expect(blocked?.failure).toEqual({
      kind: "quarantined",
      message: "Loom itself ended 3 times while this stage ran, so it is not started again.",
      evidence: null,
    });
    expect(scene.read("sessions").match(/^bad 1$/gm)).toHaveLength(3);
    expect(mergedStages(scene)).toEqual(["good"]);

    // A further resume leaves it alone; a person can give it another chance.
    expect((await scene.run(["resume", "--json"], agent)).code).toBe(1);
    const retried = await scene.ask(["retry", ending(finished).run, "bad", "--json"], "echo y > bad.txt");
    expect(ending(retried).status).toBe("completed");
    expectTidy(scene);
  });
});
