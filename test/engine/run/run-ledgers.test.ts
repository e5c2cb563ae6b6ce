import { describe, expect, it } from "vitest";
import { createEmbeddedRunStore } from "../../../src/adapters/embedded/run-store.ts";
import type { RunEvent } from "../../../src/core/run/events.ts";
import { evolve } from "../../../src/core/run/evolve/evolve.ts";
import type { Run } from "../../../src/core/run/run.ts";
import { createLedgers } from "../../../src/engine/run/ledgers.ts";
import { createRunLedgers } from "../../../src/engine/run/run-ledgers.ts";
import type { FeedItem } from "../../../src/ports/feed.ts";
import type { RunStore } from "../../../src/ports/ledger-store.ts";
import { aRun } from "../../support/a-run.ts";
import { tempFolder } from "../../support/git-repo.ts";

const RUN = "r-1";
const AT = "2026-01-31T12:00:00.000Z";
const { events: CREATED } = aRun([{ id: "a" }], { run: RUN });
const resumed = (by: string): RunEvent => ({ type: "run-resumed", at: AT, by });

/** A ledgers of one process, and what its onlookers were shown. */
function openLedgers(root: string, change: (store: RunStore) => RunStore = (store) => store) {
  const shown: string[] = [];
  const shorter: string[] = [];
  const feed = (item: FeedItem): void => {
    if (item.kind !== "event") return;
    shown.push("by" in item.event ? `${item.event.type} ${item.event.by}` : item.event.type);
  };
  const store = change(createEmbeddedRunStore({ root }));
  const ledgers = createRunLedgers(store, feed, undefined, (id) => shorter.push(id));
  return { ledgers, store, shown, shorter };
}

describe("the ledgers of runs", () => {
  it("shows every event once and in order, whoever wrote it", async () => {
    const root = tempFolder();
    const mine = openLedgers(root);
    const theirs = openLedgers(root);
    await mine.ledgers.create(RUN, CREATED);
    await theirs.ledgers.write(RUN, () => [resumed("them"), resumed("them again")]);
    await mine.ledgers.write(RUN, () => [resumed("me")]);
    await Promise.all([theirs.ledgers.load(RUN), theirs.ledgers.load(RUN), theirs.ledgers.get(RUN)]);
    await mine.ledgers.load(RUN);
    const all = ["run-created", "run-resumed them", "run-resumed them again", "run-resumed me"];
    expect(mine.shown).toEqual(all);
    expect(theirs.shown).toEqual(all);
  });

  it("takes hundreds of writers at once, from more than one process", async () => {
    const root = tempFolder();
    const [mine, theirs] = [openLedgers(root), openLedgers(root)];
    await mine.ledgers.create(RUN, CREATED);
    const writers = Array.from({ length: 200 }, (_, index) =>
      (index % 2 ? mine : theirs).ledgers.write(RUN, () => [resumed(`${index}`)]),
    );
    await Promise.all(writers);
    expect((await mine.ledgers.get(RUN)).version).toBe(201);
    await theirs.ledgers.load(RUN);
    expect(mine.shown).toEqual(theirs.shown);
    expect(new Set(mine.shown).size).toBe(201);
  });

  it("asks a writer again with the newer run when another one was faster", async () => {
    const root = tempFolder();
    const other = openLedgers(root);
    await other.ledgers.create(RUN, CREATED);
    let once = true;
    const mine = openLedgers(root, (store) => ({
      ...store,
      async append(...args) {
        if (once) {
          once = false;
          await other.ledgers.write(RUN, () => [resumed("faster")]);
        }
        return store.append(...args);
      },
    }));
    const versions: number[] = [];
    await mine.ledgers.write(RUN, (run) => {
      versions.push(run.version);
      return [resumed("slower")];
    });
    expect(versions).toEqual([1, 2]);
    expect(mine.shown).toEqual(["run-created", "run-resumed faster", "run-resumed slower"]);
  });

  it("hands back null when the writer's reason is gone, and writes nothing for an empty list", async () => {
    const { ledgers } = openLedgers(tempFolder());
    await ledgers.create(RUN, CREATED);
    expect(await ledgers.write(RUN, () => null)).toBeNull();
    expect((await ledgers.write(RUN, () => []))?.version).toBe(1);
  });

  it("lets no illegal move reach the ledger, and goes on afterwards", async () => {
    const { ledgers, store } = openLedgers(tempFolder());
    await ledgers.create(RUN, CREATED);
    const illegal: RunEvent = {
      type: "stage-merged",
      at: AT,
      stage: "a",
      attempt: 1,
      commit: "x",
      merged: "x",
    };
    await expect(ledgers.write(RUN, () => [resumed("me"), illegal])).rejects.toThrow();
    expect((await store.load(RUN)).version).toBe(1);
    expect((await ledgers.write(RUN, () => [resumed("me")]))?.version).toBe(2);
  });

  it("folds each event once, whoever wrote it: a fold costs as much as the run has stages", async () => {
    const root = tempFolder();
    const folded: number[] = [];
    const open = () =>
      createLedgers<RunEvent, Run>({
        store: createEmbeddedRunStore({ root }),
        evolve(run, events) {
          folded.push(events.length);
          return evolve(run, events);
        },
        onEvent: () => {},
        clean: (event) => event,
        unknown: (id) => new Error(id),
      });
    const [mine, theirs] = [open(), open()];
    await mine.create(RUN, CREATED);
    folded.length = 0;
    for (let n = 0; n < 3; n += 1) await mine.write(RUN, () => [resumed("me")]);
    expect(folded.filter((count) => count > 0)).toEqual([1, 1, 1]);
    folded.length = 0;
    await theirs.write(RUN, () => [resumed("them")]);
    await mine.load(RUN);
    expect(folded.filter((count) => count > 0)).toEqual([4, 1, 1]);
  });

  it("creates a run once", async () => {
    const root = tempFolder();
    const outcomes = await Promise.all([1, 2, 3].map(() => openLedgers(root).ledgers.create(RUN, CREATED)));
    expect(outcomes.filter((run) => run !== null)).toHaveLength(1);
  });

  it("begins anew when the run was removed and started over by another process", async () => {
    const root = tempFolder();
    const [mine, theirs] = [openLedgers(root), openLedgers(root)];
    await mine.ledgers.create(RUN, CREATED);
    await mine.ledgers.write(RUN, () => [resumed("one"), resumed("two")]);
    await theirs.store.remove(RUN);
    expect(await mine.ledgers.load(RUN)).toBeNull();
    await theirs.ledgers.create(RUN, CREATED);
    expect(await mine.ledgers.load(RUN)).toMatchObject({ version: 1 });
    await mine.ledgers.write(RUN, () => [resumed("me")]);
    expect((await theirs.ledgers.get(RUN)).version).toBe(2);
  });

  it.each([true, false])("tells of a ledger that was cut, seen while it was gone: %s (T32)", async (seen) => {
    const root = tempFolder();
    const [mine, theirs] = [openLedgers(root), openLedgers(root)];
    await mine.ledgers.create(RUN, CREATED);
    await mine.ledgers.write(RUN, () => [resumed("one"), resumed("two")]);
    await theirs.store.remove(RUN);
    if (seen) expect(await mine.ledgers.load(RUN)).toBeNull();
    expect(mine.shorter).toEqual([]);
    await theirs.store.append(RUN, 0, [...CREATED, resumed("one")]);
    expect(await mine.ledgers.load(RUN)).toMatchObject({ version: 2 });
    expect(mine.shorter).toEqual([RUN]);
    await mine.ledgers.load(RUN);
    expect(mine.shorter).toEqual([RUN]);
  });

  it("says that there is no such run", async () => {
    const { ledgers } = openLedgers(tempFolder());
    expect(await ledgers.load("nothing-here")).toBeNull();
    await expect(ledgers.get("nothing-here")).rejects.toThrow("There is no run nothing-here.");
  });
});
