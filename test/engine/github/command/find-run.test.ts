import { expect, it } from "vitest";
import { createEmbeddedCache } from "../../../../src/adapters/embedded/cache.ts";
import { createEmbeddedRunStore } from "../../../../src/adapters/embedded/run-store.ts";
import { findRun, liveRuns } from "../../../../src/engine/github/command/find-run.ts";
import { createRunLedgers } from "../../../../src/engine/run/run-ledgers.ts";
import { aRun } from "../../../support/a-run.ts";
import { tempFolder } from "../../../support/git-repo.ts";

const AT = "2026-01-31T12:00:00.000Z";

/** A repository with these runs, of which `done` came to their end, and which of them were read since. */
async function repositoryWith(done: readonly string[], open: readonly string[]) {
  const root = tempFolder();
  const read: string[] = [];
  const store = createEmbeddedRunStore({ root });
  const watched: typeof store = {
    ...store,
    async loadSince(id, version) {
      read.push(id);
      return store.loadSince(id, version);
    },
  };
  for (const run of [...done, ...open]) {
    const story = aRun([{ id: "a" }], { run })
      .starts("a")
      .commits("a")
      .verifies("a")
      .publishes("a");
    if (done.includes(run)) {
      story.merges("a");
      story.add({ type: "run-finished", at: AT, status: "completed" });
      story.add({ type: "run-recorded", at: AT, commit: "c" });
    }
    await store.append(run, 0, story.events);
  }
  const engine = {
    store: watched,
    runs: createRunLedgers(watched, () => {}),
    cache: createEmbeddedCache({ root: tempFolder() }),
  };
  return { engine, store, read };
}

it("reads runs that ended once, and those that go on each time", async () => {
  const { engine, read } = await repositoryWith(["old-1", "old-2"], ["new-1"]);
  expect((await liveRuns(engine)).map(({ id }) => id)).toEqual(["new-1"]);
  read.length = 0;
  expect((await liveRuns(engine)).map(({ id }) => id)).toEqual(["new-1"]);
  expect(await findRun(engine, 4711)).toBeNull();
  expect(read).toEqual(["new-1", "new-1"]);
});

it("reads a run that was removed and begun anew", async () => {
  const { engine, store } = await repositoryWith(["shop"], []);
  expect(await liveRuns(engine)).toEqual([]);
  await store.remove("shop");
  await store.append("shop", 0, aRun([{ id: "a" }], { run: "shop" }).events);
  engine.runs.forget("shop");
  expect((await liveRuns(engine)).map(({ id }) => id)).toEqual(["shop"]);
});

it("knows by a pull request's branch which run it belongs to, and reads no other", async () => {
  const { engine, read } = await repositoryWith([], ["new-1", "new-2"]);
  await engine.runs.write("new-2", () => [{ type: "plan-offered", at: AT, pr: 12, head: "h", blob: "b" }]);
  read.length = 0;
  expect((await findRun(engine, 12, "loom/new-2.plan"))?.kind).toBe("plan");
  expect(read).toEqual(["new-2"]);
  // Anybody may call a branch so; the number decides.
  expect(await findRun(engine, 13, "loom/new-2.plan")).toBeNull();
  expect((await findRun(engine, 12, "a-branch-of-ada"))?.run.id).toBe("new-2");
});
