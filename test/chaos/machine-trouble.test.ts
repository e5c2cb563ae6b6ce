import { describe, expect, it } from "vitest";
import { UserError } from "../../src/core/errors.ts";
import type { Run } from "../../src/core/run/run.ts";
import { stageOf } from "../../src/core/run/run.ts";
import { resumeRun } from "../../src/engine/run/steer-run.ts";
import { driveRun } from "../../workers/drive-run.ts";
import {
  expectSoundLedger,
  expectTidy,
  makeScene,
  mergedStages,
  type Scene,
  sessionsOf,
} from "../support/chaos.ts";
import { ending } from "../support/loom-cli.ts";
import { begin, openWorld, RUN, refuse, type World } from "./engine-world.ts";

const AGENT = `
  echo "$LOOM_STAGE_ID $LOOM_ATTEMPT" >> "$CHAOS/sessions"
  cat "$LOOM_STAGE_ID.txt" > "$CHAOS/found" 2>/dev/null
  echo x > "$LOOM_STAGE_ID.txt"`;
const STAGE = [{ id: "one", acceptance: ["test -f one.txt"] }];

async function driven(scene: Scene, world: World): Promise<Run> {
  const { run } = await driveRun(world.engine, RUN, new AbortController().signal);
  await world.local.close();
  expectSoundLedger(scene.ledger());
  return run;
}

describe("trouble of the machine", () => {
  it("for a moment is got over wherever it is, and no agent is asked for what is committed", async () => {
    const scene = makeScene([
      ...STAGE,
      { id: "two", dependencies: ["one"], acceptance: ["test -f two.txt"] },
    ]);
    const trouble = refuse(
      "workspace.open",
      "forge.publish",
      "forge.merge",
      // From here on of the second stage.
      "workspace.commit",
      "forge.targetTip",
      "workspace.transplant",
      "forge.record",
    );
    const world = await openWorld(scene, AGENT, trouble);
    await begin(world, { retries: 3 });
    const run = await driven(scene, world);
    expect(trouble.left).toEqual([]);
    expect(run).toMatchObject({ status: "completed", recorded: expect.any(String) });
    // Only what left no commit takes an attempt, and only that of the commit a session.
    expect([...run.stages.values()].map(({ attempts }) => attempts)).toEqual([2, 2]);
    expect(sessionsOf(scene)).toEqual({ one: 1, two: 2 });
    // What an agent did is not lost when the commit of it fails.
    expect(scene.read("found")).toBe("x\n");
    expect(mergedStages(scene)).toEqual(["one", "two"]);
    expectTidy(scene);
  });

  it("that stays blocks the stage with its reason; resuming goes on behind the agent's work", async () => {
    const scene = makeScene(STAGE);
    const always = Array.from({ length: 100 }, () => "forge.publish" as const);
    const world = await openWorld(scene, AGENT, refuse(...always));
    await begin(world);
    const blocked = await driven(scene, world);
    expect(blocked.status).toBe("blocked");
    expect(stageOf(blocked, "one").state).toMatchObject({
      failure: { kind: "infrastructure", message: "the machine is in trouble at forge.publish" },
    });

    const fixed = await openWorld(scene, AGENT);
    await resumeRun(fixed.engine, RUN, "sam");
    expect((await driven(scene, fixed)).status).toBe("completed");
    expect(sessionsOf(scene)).toEqual({ one: 1 });
    expectTidy(scene);
  });

  it("that held a merge up is tried again, also when the driver died before it could say so", async () => {
    const scene = makeScene(STAGE);
    const world = await openWorld(scene, AGENT, {
      change: ({ store, forgeFor }) => ({
        forgeFor: async (run) => ({
          ...(await forgeFor(run)),
          publish: () => Promise.reject(new UserError("The branch is locked.")),
        }),
        store: {
          ...store,
          append: (id, version, events) =>
            events.some(({ type }) => type === "stage-blocked")
              ? Promise.reject(new Error("dead"))
              : store.append(id, version, events),
        },
      }),
    });
    await begin(world);
    await expect(driveRun(world.engine, RUN, new AbortController().signal)).rejects.toThrow("dead");
    await world.local.close();
    expect(scene.ledger().at(-1)).toMatchObject({ type: "merge-held" });

    const fixed = await openWorld(scene, AGENT);
    await resumeRun(fixed.engine, RUN, "sam");
    expect((await driven(scene, fixed)).status).toBe("completed");
    expect(sessionsOf(scene)).toEqual({ one: 1 });
    expectTidy(scene);
  });
});

describe("a target that moves", () => {
  it("while a conflict is being resolved loses nothing, though the first session fails", async () => {
    const scene = makeScene([
      { id: "a" },
      { id: "b", acceptance: ["grep -q both shared.txt || ! grep -q '^a$' shared.txt"] },
    ]);
    const repo = scene.repo.root;
    const agent = `
      echo "$LOOM_STAGE_ID $LOOM_ATTEMPT" >> "$CHAOS/sessions"
      case $LOOM_STAGE_ID/$LOOM_ATTEMPT in
        a/*) echo a > shared.txt ;;
        b/1) until git log --format=%B main | grep -q 'Loom-Stage: a'; do sleep 0.02; done
             echo b > shared.txt ;;
        b/2) echo half > half.txt
             cd '${repo}' && echo later > later.txt && git add later.txt && git commit -qm 'Meanwhile' && exit 1 ;;
        *)   echo both > shared.txt ;;
      esac`;
    const finished = await scene.run(["run", "PLAN.md", "--json"], agent);
    expect(ending(finished).status, finished.stdout).toBe("completed");
    expect(ending(finished).stages.b).toMatchObject({ attempts: 3 });
    expect(scene.repo.git("show", "main:shared.txt")).toBe("both");
    expect(scene.repo.git("show", "main:half.txt")).toBe("half");
    expect(scene.repo.git("show", "main:later.txt")).toBe("later");
    expect(mergedStages(scene)).toEqual(["a", "b"]);
    expectTidy(scene);
  });

  it("under a proved merge is met by a new proof on the new base (F18)", async () => {
    const scene = makeScene([{ id: "one", acceptance: ['ls > "$CHAOS/checked"; test -f one.txt'] }]);
    const world = await openWorld(scene, AGENT, {
      change: ({ forgeFor }) => {
        let once = true;
        return {
          forgeFor: async (run) => {
            const forge = await forgeFor(run);
            return {
              ...forge,
              merge: async (spec) => {
                // Between the proof and the swap a person is faster.
                if (once) {
                  once = false;
                  scene.repo.write({ "later.txt": "later\n" });
                  scene.repo.commit("Meanwhile");
                }
                return forge.merge(spec);
              },
            };
          },
        };
      },
    });
    await begin(world);
    expect((await driven(scene, world)).status).toBe("completed");
    expect(scene.read("checked")).toContain("later.txt");
    expect(mergedStages(scene)).toEqual(["one"]);
    expect(scene.repo.git("show", "main:later.txt")).toBe("later");
    expectTidy(scene);
  });
});
