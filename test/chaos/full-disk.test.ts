import { spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { StoreTrouble } from "../../src/core/errors.ts";
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

/** Takes so many appends; then there is no space left, for a while or for good. */
function fullAfter(store: RunStore, appends: number, refusals: number): RunStore {
  let count = 0;
  return {
    ...store,
    async append(...args) {
      count += 1;
      if (count > appends && count <= appends + refusals)
        throw new StoreTrouble("Failed to write the ledger: ENOSPC", { next: "Free some disk space." });
      return store.append(...args);
    },
  };
}

describe("a disk that is full (F22)", () => {
  // A run of two stages makes some sixteen appends; one of them creates it.
  it.each([1, 2, 3, 4, 5, 6, 8, 11, 15])(
    "from append %i on ends the run with a sentence, and the next one goes on",
    async (appends) => {
      const scene = makeScene(STAGES);
      const first = await openWorld(scene, AGENT, {
        change: ({ store }) => ({ store: fullAfter(store, appends, Number.POSITIVE_INFINITY) }),
      });
      await begin(first);
      await expect(driveRun(first.engine, RUN, new AbortController().signal)).rejects.toThrow(
        "Failed to write the ledger: ENOSPC",
      );
      await first.local.close();
      const half = scene.ledger();
      expect(half).not.toContainEqual(expect.objectContaining({ type: "attempt-failed" }));

      const second = await openWorld(scene, AGENT);
      const { run } = await driveRun(second.engine, RUN, new AbortController().signal);
      await second.local.close();
      expect(run.status).toBe("completed");
      expect(mergedStages(scene)).toEqual(["one", "two"]);
      expect(sessionsOf(scene).one).toBeLessThanOrEqual(2);
      expectSoundLedger(scene.ledger());
      expectTidy(scene);
    },
  );

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
    // There was room again for that, and it would have been wrong: nothing is the matter with the stage.
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

    const finished = await scene.run(["resume", "--json"], AGENT);
    expect(ending(finished).status).toBe("completed");
    expect(mergedStages(scene).toSorted()).toEqual(["five", "four", "one", "three", "two"]);
    expectSoundLedger(scene.ledger());
    expectTidy(scene);
  });
});
