import { spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { messageOf, StoreTrouble } from "../../src/core/errors.ts";
import type { RunEvent } from "../../src/core/run/events.ts";
import type { RunStore } from "../../src/ports/ledger-store.ts";
import { driveRun } from "../../workers/drive-run.ts";
import { expectSoundLedger, expectTidy, makeScene, mergedStages, sessionsOf } from "../support/chaos.ts";
import { ending } from "../support/loom-cli.ts";
import { begin, openWorld, RUN } from "./engine-world.ts";

const STAGES = [
  { id: "one", acceptance: ["test -f one.txt"] },
  { id: "two", dependencies: ["one"], acceptance: ["test -f two.txt"] },
];
const AGENT =
  'echo "$LOOM_STAGE_ID $LOOM_ATTEMPT" >> "$CHAOS/sessions"; echo "$LOOM_STAGE_ID" > "$LOOM_STAGE_ID.txt"';

const CHAIN = ["one", "two", "three", "four"].map((id, at, all) => ({
  id,
  dependencies: all.slice(at - 1, at),
  acceptance: [`test -f ${id}.txt`],
}));

/**
 * Every kind of append that a run makes, over the stages of the chain: two deaths for each, since after three of them Loom
 * gives up on a stage. The claim of its first attempt leads on to the next one.
 */
const FULL_FROM: readonly RunEvent["type"][] = [
  "stage-queued",
  "session-started",
  "attempt-committed",
  "attempt-started",
  "session-ended",
  "attempt-verified",
  "attempt-started",
  "stage-published",
  "merge-started",
  "attempt-started",
  "merge-claimed",
  "stage-merged",
  "run-finished",
  "run-recorded",
];

/** Takes what comes before this; from then on there is no space left. */
function fullFrom(store: RunStore, type: RunEvent["type"]): RunStore {
  let isFull = false;
  return {
    ...store,
    async append(id, version, events) {
      isFull ||= events.some((event) => event.type === type);
      if (isFull) throw noSpace();
      return store.append(id, version, events);
    },
  };
}

const noSpace = (): StoreTrouble =>
  new StoreTrouble("Failed to write the ledger: ENOSPC", { next: "Free some disk space." });

/** Takes so many appends; then there is no space left for a while. */
function fullAfter(store: RunStore, appends: number, refusals: number): RunStore {
  let count = 0;
  return {
    ...store,
    async append(...args) {
      count += 1;
      if (count > appends && count <= appends + refusals) throw noSpace();
      return store.append(...args);
    },
  };
}

describe("a disk that is full (F22)", () => {
  it("ends the run with a sentence from whatever append on, and the next one goes on", async () => {
    const scene = makeScene(CHAIN);
    for (const type of FULL_FROM) {
      const world = await openWorld(scene, AGENT, {
        change: ({ store }) => ({ store: fullFrom(store, type) }),
      });
      if (scene.ledger().length === 0) await begin(world);
      const ended = await driveRun(world.engine, RUN, new AbortController().signal).catch(messageOf);
      await world.local.close();
      expect(ended, `at ${type}, behind ${scene.ledger().at(-1)?.type}`).toBe(
        "Failed to write the ledger: ENOSPC",
      );
      expect(scene.ledger()).not.toContainEqual(expect.objectContaining({ type: "attempt-failed" }));
    }

    const last = await openWorld(scene, AGENT);
    const { run } = await driveRun(last.engine, RUN, new AbortController().signal);
    await last.local.close();
    expect(run.status).toBe("completed");
    expect(mergedStages(scene)).toEqual(CHAIN.map(({ id }) => id));
    // Only what no commit held yet was done twice.
    expect(sessionsOf(scene)).toEqual({ one: 2, two: 2, three: 1, four: 1 });
    expectSoundLedger(scene.ledger());
    expectTidy(scene);
  });

  it.each([2, 5])("for a moment, behind append %i, strands nothing", async (appends) => {
    const scene = makeScene(STAGES);
    const first = await openWorld(scene, AGENT, {
      change: ({ store }) => ({ store: fullAfter(store, appends, 2) }),
    });
    await begin(first);
    await expect(driveRun(first.engine, RUN, new AbortController().signal)).rejects.toThrow(
      "Failed to write the ledger: ENOSPC",
    );
    await first.local.close();
    // There was sandbox again for that, and it would have been wrong: nothing is the matter with the stage.
    expect(scene.ledger().map(({ type }) => type)).not.toContain("merge-held");

    const second = await openWorld(scene, AGENT);
    const { run } = await driveRun(second.engine, RUN, new AbortController().signal);
    await second.local.close();
    expect(run.status).toBe("completed");
    expect(mergedStages(scene)).toEqual(["one", "two"]);
    expectTidy(scene);
  });

  it("in the real: a limit on the size of files leaves a clear sentence and a run that can be resumed", async () => {
    const more = ["three", "four", "five"].map((id) => ({ id, acceptance: [`test -f ${id}.txt`] }));
    const scene = makeScene([...STAGES, ...more]);
    // Blocks of 512 bytes: enough for the repository and for what agents are told, not for the ledger.
    const cli = resolve(import.meta.dirname, "../../dist/src/cli/main.js");
    const limited = spawn(
      "/bin/sh",
      ["-c", `ulimit -f 16; exec "$0" "$@"`, process.execPath, cli, "run", "PLAN.md"],
      {
        cwd: scene.repo.root,
        env: {
          PATH: process.env.PATH,
          HOME: process.env.HOME,
          CHAOS: scene.folder,
          LOOM_TREES: join(scene.folder, "trees"),
          LOOM_SANDBOX: "off",
          LOOM_COMMAND_BIN: "/bin/sh",
          LOOM_COMMAND_ARGS: JSON.stringify(["-c", AGENT]),
        },
        stdio: ["ignore", "ignore", "pipe"],
      },
    );
    let stderr = "";
    limited.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    const code = await new Promise((done) => limited.on("close", done));
    expect(code, stderr).toBe(1);
    expect(stderr).toContain("Failed to write the ledger of run plan-");
    expect(stderr).toContain("then go on with `loom resume plan-");
    expect(scene.living()).toEqual([]);

    const finished = await scene.ask(["resume", "--json"], AGENT);
    expect(ending(finished).status).toBe("completed");
    expect(mergedStages(scene).toSorted()).toEqual(["five", "four", "one", "three", "two"]);
    expectSoundLedger(scene.ledger());
    expectTidy(scene);
  });
});
