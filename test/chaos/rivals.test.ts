import { describe, expect, it } from "vitest";
import { stageOf } from "../../src/core/run/run.ts";
import { runStage } from "../../src/engine/attempt/run-stage.ts";
import { mergeStage } from "../../src/engine/merge/merge-stage.ts";
import { advanceRun } from "../../src/engine/run/advance-run.ts";
import { cancelRun, resumeRun } from "../../src/engine/run/steer-run.ts";
import type { Forge } from "../../src/ports/forge.ts";
import { driveRun } from "../../workers/drive-run.ts";
import { expectTidy, makeScene, mergedStages, type Scene, sessionsOf } from "../support/chaos.ts";
import { until } from "../support/living-processes.ts";
import { begin, openWorld, type Ports, RUN, type World } from "./engine-world.ts";

/** Two processes that both believe a stage to be theirs. The lease keeps that from happening; the ledger must as well. */
const STAGE = [{ id: "one", acceptance: ["test -f one.txt"] }];
const AGENT = 'echo "$LOOM_STAGE_ID $LOOM_ATTEMPT" >> "$CHAOS/sessions"; echo x > "$LOOM_STAGE_ID.txt"';
const WAITS = `${AGENT}; touch "$CHAOS/waiting"; while ! [ -e "$CHAOS/go" ]; do sleep 0.01; done`;
const STAGE_JOB = { kind: "stage", run: RUN, stage: "one", attempt: 1 } as const;
const MERGE_JOB = { kind: "merge", run: RUN, stage: "one" } as const;

const work = (world: World): Promise<void> => runStage(world.engine, STAGE_JOB, new AbortController().signal);
const merge = (world: World): Promise<void> =>
  mergeStage(world.engine, MERGE_JOB, new AbortController().signal);

async function queued(scene: Scene): Promise<World> {
  const world = await openWorld(scene, AGENT);
  await begin(world);
  await advanceRun(world.engine, RUN);
  return world;
}

/** Up to the branch, ready to be merged. */
async function published(scene: Scene): Promise<World> {
  const world = await queued(scene);
  await work(world);
  return world;
}

/** Takes the attempt away from whoever holds it, as recovery does. */
async function takeAway({ engine }: World): Promise<void> {
  await engine.runs.write(RUN, (run) => {
    const { state } = stageOf(run, "one");
    if (state.kind !== "executing") throw new Error(`it is ${state.kind}`);
    const { attempt } = state;
    return [
      { type: "attempt-interrupted", at: new Date().toISOString(), stage: "one", attempt, reason: "died" },
    ];
  });
  await advanceRun(engine, RUN);
}

/** An engine that hears nothing of what others write, as when its event loop is blocked. */
function deaf({ store }: Ports) {
  return { store: { ...store, watch: () => () => {} } };
}

/** Halts in front of a call of the forge until it is let go. */
function haltBefore(method: "publish" | "merge" | "targetTip") {
  let letGo = (): void => {};
  let reached = (): void => {};
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const there = new Promise<void>((resolve) => {
    reached = resolve;
  });
  return {
    there,
    letGo: () => letGo(),
    change: (ports: Ports) => ({
      ...deaf(ports),
      forgeFor: async (run: Parameters<Ports["forgeFor"]>[0]): Promise<Forge> => {
        const forge = await ports.forgeFor(run);
        const call = forge[method] as (...args: unknown[]) => Promise<unknown>;
        const halting = async (...args: unknown[]): Promise<unknown> => {
          reached();
          await gate;
          return call(...args);
        };
        return { ...forge, [method]: halting } as Forge;
      },
    }),
  };
}

describe("a second process (F25)", () => {
  it("is told who drives the run, starts nothing, and takes over once that one is dead", async () => {
    const scene = makeScene(STAGE);
    const driver = scene.start(["run", "PLAN.md", "--json"], WAITS);
    await until(() => scene.has("waiting"), "the agent is at work");
    const before = scene.ledger();
    for (const args of [["run", "PLAN.md"], ["resume"]]) {
      const second = await scene.run(args, AGENT);
      expect(second.code).toBe(1);
      expect(second.stderr).toContain(`process ${driver.child.pid}`);
    }
    expect(scene.ledger()).toEqual(before);
    expect(sessionsOf(scene)).toEqual({ one: 1 });
    driver.kill("SIGKILL");
    await driver.finished;
    const rivals = await Promise.all([1, 2].map(() => scene.run(["resume", "--json"], AGENT)));
    // Whoever came second was sent away, or found the run completed.
    expect(rivals.map(({ code }) => code)).toContain(0);
    expect(mergedStages(scene)).toEqual(["one"]);
    expect(scene.ledger().filter((event) => event.type === "run-resumed")).toHaveLength(1);
    expectTidy(scene);
  });
});

describe("two workers with the same job (F24)", () => {
  it("one of them gets it, the other does nothing", async () => {
    const scene = makeScene(STAGE);
    const first = await queued(scene);
    const others = await Promise.all([1, 2, 3].map(() => openWorld(scene, AGENT)));
    await Promise.all([first, ...others].map(work));
    expect(sessionsOf(scene)).toEqual({ one: 1 });
    const types = scene.ledger().map((event) => event.type);
    expect(types.filter((type) => type === "attempt-started")).toHaveLength(1);
    expect(types.at(-1)).toBe("stage-published");
    await first.local.close();
  });

  it("both may merge at the same time, and the target gets one commit", async () => {
    const scene = makeScene(STAGE);
    const first = await published(scene);
    const second = await openWorld(scene, AGENT, { trees: "others" });
    // Not a fast-forward: both build a commit of their own.
    scene.repo.write({ "other.txt": "a person was here\n" });
    scene.repo.commit("Meanwhile");
    await Promise.all([merge(first), merge(second)]);
    expect(mergedStages(scene)).toEqual(["one"]);
    expect(scene.repo.git("status", "--porcelain")).toBe("");
    await second.local.close();
    // They share the claim, so one may have given up over the other's branch; that costs a look at git, no more.
    await resumeRun(first.engine, RUN, "sam");
    const { run } = await driveRun(first.engine, RUN, new AbortController().signal);
    await first.local.close();
    expect(run.status).toBe("completed");
    expect(mergedStages(scene)).toEqual(["one"]);
    expect(scene.ledger().filter((event) => event.type === "stage-merged")).toHaveLength(1);
    expectTidy(scene);
  });

  it("a worker that looks at the target only after the other's swap merges nothing twice", async () => {
    const scene = makeScene(STAGE);
    const first = await published(scene);
    const halt = haltBefore("targetTip");
    const late = await openWorld(scene, AGENT, { change: halt.change, trees: "others" });
    const merging = merge(late);
    await halt.there;
    const { commit } = stageOf(await first.engine.runs.get(RUN), "one");
    // The swap of a process that has not come to write it down.
    const forge = await first.local.forge("main");
    const onto = scene.repo.sha("main");
    await forge.merge({ run: RUN, stage: "one", commit: commit ?? "", onto });
    halt.letGo();
    await merging;
    expect(mergedStages(scene)).toEqual(["one"]);
    expect(scene.ledger().at(-1)).toMatchObject({ type: "stage-merged", merged: commit });
    await late.local.close();
  });
});

describe("a worker that lost its attempt without noticing (F10)", () => {
  it("can't write to the ledger", async () => {
    const scene = makeScene(STAGE);
    const owner = await queued(scene);
    const stale = await openWorld(scene, WAITS, { change: deaf, trees: "others" });
    const working = work(stale);
    await until(() => scene.has("waiting"), "the stale worker's agent is at work");
    await takeAway(owner);
    await work(owner);
    const events = scene.ledger();
    expect(events.at(-1)?.type).toBe("stage-published");
    const branch = scene.repo.sha(`loom/${RUN}/one`);

    scene.write("go", "");
    await working;
    expect(scene.ledger()).toEqual(events);
    expect(scene.repo.sha(`loom/${RUN}/one`)).toBe(branch);
    await stale.local.close();
  });

  it("can't publish over the other's work", async () => {
    const scene = makeScene(STAGE);
    const owner = await queued(scene);
    const halt = haltBefore("publish");
    const stale = await openWorld(scene, AGENT, { change: halt.change, trees: "others" });
    const working = work(stale);
    await halt.there;
    await takeAway(owner);
    await work(owner);
    const events = scene.ledger();
    const branch = scene.repo.sha(`loom/${RUN}/one`);
    halt.letGo();
    await working;
    expect(scene.ledger()).toEqual(events);
    expect(scene.repo.sha(`loom/${RUN}/one`)).toBe(branch);
    expect(sessionsOf(scene)).toEqual({ one: 1 });
    await stale.local.close();
  });

  it.each([
    ["a fast-forward", false],
    ["built anew", true],
  ])("can't merge a second time, when the merge is %s", async (_name, moved) => {
    const scene = makeScene(STAGE);
    const owner = await published(scene);
    const halt = haltBefore("merge");
    const stale = await openWorld(scene, AGENT, { change: halt.change, trees: "others" });
    const merging = merge(stale);
    await halt.there;
    expect(scene.ledger().at(-1)?.type).toBe("merge-started");
    await takeAway(owner);
    if (moved) {
      scene.repo.write({ "other.txt": "a person was here\n" });
      scene.repo.commit("Meanwhile");
    }
    await work(owner);
    await merge(owner);
    const events = scene.ledger();
    expect(events.at(-1)?.type).toBe("stage-merged");
    const target = scene.repo.sha("main");
    halt.letGo();
    await merging;
    expect(scene.ledger()).toEqual(events);
    expect(scene.repo.sha("main")).toBe(target);
    expect(mergedStages(scene)).toEqual(["one"]);
    await stale.local.close();
  });
});

describe("a cancel that a worker has not noticed", () => {
  it("comes before the swap: nothing is merged behind it", async () => {
    const scene = makeScene(STAGE);
    const owner = await published(scene);
    const halt = haltBefore("targetTip");
    const late = await openWorld(scene, AGENT, { change: halt.change, trees: "others" });
    const merging = merge(late);
    await halt.there;
    const target = scene.repo.sha("main");
    await cancelRun(owner.engine, RUN, "sam");
    halt.letGo();
    await merging;
    expect(scene.repo.sha("main")).toBe(target);
    expect(scene.ledger().at(-1)).toMatchObject({ type: "attempt-interrupted", reason: "stopped" });
    await late.local.close();
  });

  it("ends the run although a stage waits for a merge that nobody has taken up", async () => {
    const scene = makeScene(STAGE);
    const owner = await published(scene);
    await cancelRun(owner.engine, RUN, "sam");
    await advanceRun(owner.engine, RUN);
    const run = await owner.engine.runs.get(RUN);
    expect(run.status).toBe("cancelled");
    expect(stageOf(run, "one").state.kind).toBe("skipped");
    await owner.local.close();
  });
});
