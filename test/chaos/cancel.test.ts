import { describe, expect, it } from "vitest";
import { expectSoundLedger, expectTidy, makeScene, mergedStages, type Scene } from "../support/chaos.ts";
import { until } from "../support/living-processes.ts";
import { ending, type LoomProcess } from "../support/loom-cli.ts";

const HANGS = 'setsid sleep 600 & touch "$CHAOS/hanging"; sleep 600';
const AGENT = 'echo "$LOOM_STAGE_ID" > "$LOOM_STAGE_ID.txt"';

/** Hangs on top of what somebody commits meanwhile, and nowhere else. */
const HANGS_ON_NEW = [`if [ -f new.txt ]; then ${HANGS}; fi`];

/** Both agents begin with the old target and are proved there; then each has to be proved once more. */
const SOMEBODY_COMMITS = `
  touch "$CHAOS/began-$LOOM_STAGE_ID"
  until [ -e "$CHAOS/began-b" ] && [ -e "$CHAOS/began-c" ]; do sleep 0.02; done
  if [ "$LOOM_STAGE_ID" = b ]; then (
    cd "$(git worktree list --porcelain | sed -n '1s/^worktree //p')"
    echo new > new.txt; git add new.txt; git -c user.name=Pat -c user.email=pat@example.com commit -qm "Something new"
  ) fi
  until git cat-file -e main:new.txt 2> /dev/null; do sleep 0.02; done`;

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
  const cancelled = await scene.ask(["cancel", run], agent);
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
    const scene = makeScene([
      { id: "b", acceptance: HANGS_ON_NEW },
      { id: "c", acceptance: HANGS_ON_NEW },
    ]);
    const published = async (loom: LoomProcess): Promise<void> => {
      await loom.event("stage-published", "b");
      await loom.event("stage-published", "c");
    };
    expect(await cancelWhenHanging(scene, `${SOMEBODY_COMMITS}\n${AGENT}`, published)).toMatchObject({
      b: { state: "skipped" },
      c: { state: "skipped" },
    });
    expect(mergedStages(scene)).toEqual([]);
  });

  it("and so does the end of a critical stage", async () => {
    const agent = `
      branch() { git rev-parse -q --verify "refs/heads/loom/$LOOM_RUN_ID/$1" > /dev/null; }
      if [ "$LOOM_STAGE_ID" = vital ]; then
        until [ -e "$CHAOS/hanging" ] && branch b && branch c; do sleep 0.02; done
        exit 1
      fi
      ${SOMEBODY_COMMITS}
      ${AGENT}`;
    const scene = makeScene([
      { id: "b", acceptance: HANGS_ON_NEW },
      { id: "c", acceptance: HANGS_ON_NEW },
      { id: "vital", critical: true, retries: 0 },
    ]);
    const finished = await scene.run(["run", "PLAN.md", "--json"], agent);
    expect(finished.code).toBe(1);
    expect(ending(finished)).toMatchObject({
      status: "failed",
      stages: { b: { state: "blocked" }, c: { state: "blocked" } },
    });
    expect(mergedStages(scene)).toEqual([]);
    expect(scene.living()).toEqual([]);
  });
});
