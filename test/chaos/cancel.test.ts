import { describe, expect, it } from "vitest";
import { expectSoundLedger, expectTidy, makeScene, mergedStages, type Scene } from "../support/chaos.ts";
import { until } from "../support/living-processes.ts";
import { ending, type LoomProcess } from "../support/loom-cli.ts";

const HANGS = 'setsid sleep 600 & touch "$CHAOS/hanging"; sleep 600';
const AGENT = 'echo "$LOOM_STAGE_ID" > "$LOOM_STAGE_ID.txt"';

/** Runs until something hangs, cancels from another process, and looks at what both of them say. */
async function cancelWhenHanging(
  scene: Scene,
  agent = AGENT,
  more: (loom: LoomProcess) => Promise<void> = async () => {},
): Promise<Record<string, unknown>> {
  const loom = scene.start(["run", "PLAN.md", "--json"], agent);
  await until(() => scene.has("hanging"), "something hangs");
  await more(loom);
  const run = String((await loom.event("run-created")).run);
  const before = scene.repo.sha("main");
  const cancelled = await scene.run(["cancel", run], agent);
  expect(cancelled.code, cancelled.stderr).toBe(0);
  const finished = await loom.finished;
  expect(finished.code).toBe(1);
  expect(ending(finished).status).toBe("cancelled");
  expect(scene.repo.sha("main")).toBe(before);
  expectSoundLedger(scene.ledger());
  expectTidy(scene);
  return ending(finished).stages;
}

describe("a cancel from another process ends everything within seconds", () => {
  it("in the middle of an agent's work", async () => {
    const scene = makeScene([{ id: "one" }, { id: "two", dependencies: ["one"] }]);
    expect(await cancelWhenHanging(scene, HANGS)).toMatchObject({
      one: { state: "skipped" },
      two: { state: "skipped" },
    });
  });

  it("in the middle of the set-up", async () => {
    const scene = makeScene([{ id: "one", setup: [HANGS] }]);
    expect(await cancelWhenHanging(scene)).toMatchObject({ one: { state: "skipped" } });
    expect(scene.ledger().map((event) => event.type)).not.toContain("session-started");
  });

  it("in the middle of a check before the work", async () => {
    const scene = makeScene([{ id: "one", before: [HANGS] }]);
    expect(await cancelWhenHanging(scene)).toMatchObject({ one: { state: "skipped" } });
  });

  it("in the middle of the proof", async () => {
    const scene = makeScene([{ id: "one", acceptance: [HANGS] }]);
    expect(await cancelWhenHanging(scene)).toMatchObject({ one: { state: "skipped" } });
    expect(scene.ledger().map((event) => event.type)).toContain("attempt-committed");
  });

  it("while a merge is proved again and another stage waits for its turn", async () => {
    // Both start from the old base and are proved there; on top of `a` each has to be proved once more.
    const acceptance = [`if [ -f a.txt ]; then ${HANGS}; fi`];
    const agent = `
      if [ "$LOOM_STAGE_ID" != a ]; then
        until git log --format=%B main | grep -q 'Loom-Stage: a'; do sleep 0.02; done
      fi
      ${AGENT}`;
    const scene = makeScene([{ id: "a" }, { id: "b", acceptance }, { id: "c", acceptance }]);
    const published = async (loom: LoomProcess): Promise<void> => {
      await loom.event("stage-published", "b");
      await loom.event("stage-published", "c");
    };
    expect(await cancelWhenHanging(scene, agent, published)).toMatchObject({
      a: { state: "completed" },
      b: { state: "skipped" },
      c: { state: "skipped" },
    });
    expect(mergedStages(scene)).toEqual(["a"]);
  });

  it("and so does the end of a critical stage", async () => {
    const acceptance = [`if [ -f a.txt ]; then ${HANGS}; fi`];
    const agent = `
      merged() { git log --format=%B main | grep -q "Loom-Stage: $1"; }
      branch() { git rev-parse -q --verify "refs/heads/loom/$LOOM_RUN_ID/$1" > /dev/null; }
      case $LOOM_STAGE_ID in
        a) ;;
        vital) until [ -e "$CHAOS/hanging" ] && branch b && branch c; do sleep 0.02; done; exit 1 ;;
        *) until merged a; do sleep 0.02; done ;;
      esac
      ${AGENT}`;
    const scene = makeScene([
      { id: "a" },
      { id: "b", acceptance },
      { id: "c", acceptance },
      { id: "vital", critical: true, retries: 0 },
    ]);
    const finished = await scene.run(["run", "PLAN.md", "--json"], agent);
    expect(finished.code).toBe(1);
    expect(ending(finished)).toMatchObject({
      status: "failed",
      stages: { a: { state: "completed" }, b: { state: "blocked" }, c: { state: "blocked" } },
    });
    expect(mergedStages(scene)).toEqual(["a"]);
    expect(scene.living()).toEqual([]);
  });
});
