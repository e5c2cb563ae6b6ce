import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { LedgerStore } from "../../src/ports/ledger-store.ts";
import type { LedgerSample } from "./sample-events.ts";

export type StoreUnderTest<E> = {
  readonly store: LedgerStore<E>;
  /** Another instance over the same data, as another process would have; both may be used at the same time. */
  reopen(): Promise<LedgerStore<E>>;
  dispose(): Promise<void>;
};

/** What every store of ledgers promises, whatever it keeps them in and whatever they are about. */
export function describeLedgerStore<E>(
  name: string,
  sample: LedgerSample<E>,
  makeStore: () => Promise<StoreUnderTest<E>>,
): void {
  const { first: created, later: queued } = sample;

  describe(`${name} ${sample.one} store`, () => {
    let world: StoreUnderTest<E>;
    let store: LedgerStore<E>;

    beforeEach(async () => {
      world = await makeStore();
      store = world.store;
    });
    afterEach(() => world.dispose());

    it("knows nothing of a ledger that was never written", async () => {
      expect(await store.load("r1")).toEqual({ version: 0, events: [] });
      expect(await store.loadSince("r1", 0)).toEqual({ version: 0, events: [] });
      expect(await store.list()).toEqual([]);
    });

    it("counts versions by events, across batches", async () => {
      expect(await store.append("r1", 0, [created("r1")])).toEqual({ kind: "appended", version: 1 });
      expect(await store.append("r1", 1, [queued("a"), queued("b")])).toEqual({
        kind: "appended",
        version: 3,
      });
      expect(await store.load("r1")).toEqual({
        version: 3,
        events: [created("r1"), queued("a"), queued("b")],
      });
    });

    it("tells a late writer the version and writes nothing of its batch", async () => {
      await store.append("r1", 0, [created("r1"), queued("a")]);
      expect(await store.append("r1", 1, [queued("b"), queued("c")])).toEqual({
        kind: "conflict",
        version: 2,
      });
      expect(await store.append("r1", 0, [created("r1")])).toEqual({ kind: "conflict", version: 2 });
      expect((await store.load("r1")).events).toEqual([created("r1"), queued("a")]);
    });

    it("tells a writer that expects more than there is", async () => {
      expect(await store.append("r1", 3, [queued("a")])).toEqual({ kind: "conflict", version: 0 });
      expect(await store.list()).toEqual([]);
      await store.append("r1", 0, [created("r1")]);
      expect(await store.append("r1", 2, [queued("a")])).toEqual({ kind: "conflict", version: 1 });
    });

    it("lets one of twenty writers win that saw the same version", async () => {
      const other = await world.reopen();
      await store.append("r1", 0, [created("r1")]);
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          (n % 2 ? store : other).append("r1", 1, [queued(`s${n}`), queued(`s${n}`, 2)]),
        ),
      );
      const winners = outcomes.flatMap((outcome, n) => (outcome.kind === "appended" ? [n] : []));
      expect(winners).toHaveLength(1);
      expect(outcomes.filter((outcome) => outcome.kind === "conflict" && outcome.version === 3)).toHaveLength(
        19,
      );
      const winner = `s${winners[0]}`;
      expect((await other.loadSince("r1", 1)).events).toEqual([queued(winner), queued(winner, 2)]);
    });

    it("keeps the batches of writers apart that reload after a conflict", async () => {
      const stores = [store, await world.reopen()];
      await store.append("r1", 0, [created("r1")]);
      const writeTen = async (one: LedgerStore<E>, stage: string) => {
        for (let attempt = 1; attempt <= 10; ) {
          const { version } = await one.load("r1");
          const outcome = await one.append("r1", version, [
            queued(stage, attempt),
            queued(`${stage}-x`, attempt),
          ]);
          if (outcome.kind === "appended") attempt += 1;
        }
      };
      await Promise.all(stores.map((one, n) => writeTen(one, `w${n}`)));
      const { events } = await store.loadSince("r1", 1);
      expect(events).toHaveLength(40);
      for (let n = 0; n < events.length; n += 2) {
        const { name, n: attempt } = sample.read(events[n] as E);
        expect(events[n + 1]).toEqual(queued(`${name}-x`, attempt));
      }
    });

    it("loads only what came after a version", async () => {
      await store.append("r1", 0, [created("r1"), queued("a")]);
      await store.append("r1", 2, [queued("b")]);
      expect(await store.loadSince("r1", 1)).toEqual({ version: 3, events: [queued("a"), queued("b")] });
      expect(await store.loadSince("r1", 3)).toEqual({ version: 3, events: [] });
    });

    it("sees what another instance appended since", async () => {
      const other = await world.reopen();
      await store.append("r1", 0, [created("r1")]);
      expect((await other.load("r1")).version).toBe(1);
      await store.append("r1", 1, [queued("a")]);
      expect(await other.loadSince("r1", 1)).toEqual({ version: 2, events: [queued("a")] });
      expect(await other.append("r1", 2, [queued("b")])).toEqual({ kind: "appended", version: 3 });
      expect(await store.append("r1", 2, [queued("c")])).toEqual({ kind: "conflict", version: 3 });
    });

    it("hands out ledgers that do not change afterwards", async () => {
      await store.append("r1", 0, [created("r1")]);
      const before = await store.load("r1");
      await store.append("r1", 1, [queued("a")]);
      expect(before).toEqual({ version: 1, events: [created("r1")] });
    });

    it("tells a watcher of another instance's append", async () => {
      const other = await world.reopen();
      await store.append("r1", 0, [created("r1")]);
      const seen = nextChange(store, "r1");
      await other.append("r1", 1, [queued("a")]);
      await seen;
      expect((await store.load("r1")).version).toBe(2);
    });

    it("tells a watcher that was there before the ledger", async () => {
      const other = await world.reopen();
      const seen = nextChange(store, "r1");
      await other.append("r1", 0, [created("r1")]);
      await seen;
      expect((await store.load("r1")).version).toBe(1);
    });

    it("tells no watcher after its end", async () => {
      const calls: string[] = [];
      const unwatch = store.watch("r1", () => calls.push("ended"));
      unwatch();
      const seen = nextChange(store, "r1");
      await store.append("r1", 0, [created("r1")]);
      await seen;
      expect(calls).toEqual([]);
    });

    it("lists the ledgers that were written", async () => {
      await store.append("r2", 0, [created("r2")]);
      await store.append("r1", 0, [created("r1")]);
      expect([...(await store.list())].sort()).toEqual(["r1", "r2"]);
    });

    it("forgets a removed ledger, for every instance, and lets it begin anew", async () => {
      const other = await world.reopen();
      await store.append("r1", 0, [created("r1"), queued("a")]);
      await store.append("r2", 0, [created("r2")]);
      expect((await other.load("r1")).version).toBe(2);
      await store.remove("r1");
      expect(await other.list()).toEqual(["r2"]);
      expect(await other.load("r1")).toEqual({ version: 0, events: [] });
      expect(await other.append("r1", 2, [queued("b")])).toEqual({ kind: "conflict", version: 0 });
      const anew = created("r1", "anew");
      expect(await other.append("r1", 0, [anew])).toEqual({ kind: "appended", version: 1 });
      expect((await store.load("r1")).events).toEqual([anew]);
    });

    it("does not take a ledger that began anew for the one it knew", async () => {
      const other = await world.reopen();
      await store.append("r1", 0, [created("r1")]);
      await other.load("r1");
      await store.remove("r1");
      const anew = created("r1", "anew");
      await store.append("r1", 0, [anew]);
      await store.append("r1", 1, [queued("a")]);
      expect((await other.load("r1")).events).toEqual([anew, queued("a")]);
    });

    it("removes a ledger that is not there", async () => {
      await store.remove("r1");
      expect(await store.list()).toEqual([]);
    });

    it("gives everything back after a restart", async () => {
      await store.append("r1", 0, [created("r1")]);
      await store.append("r1", 1, [queued("a"), queued("b")]);
      const before = await store.load("r1");
      await store.close();
      const reopened = await world.reopen();
      expect(await reopened.load("r1")).toEqual(before);
      expect(await reopened.append("r1", 3, [queued("c")])).toEqual({ kind: "appended", version: 4 });
    });

    it("keeps a text of a megabyte and every character of it", async () => {
      const strange = 'ünïcödé 漢字 🧵 \u2028 \u0000 \ud800 "quoted" \\ \r\n\ttab';
      const text = `${strange}\n`.repeat(1 + 1_000_000 / strange.length);
      await store.append("r1", 0, [created("r1", text), queued("a")]);
      expect((await (await world.reopen()).load("r1")).events).toEqual([created("r1", text), queued("a")]);
    });

    it("keeps a batch of ten thousand events", async () => {
      const events = Array.from({ length: 10_000 }, (_, n) => queued(`s${n}`));
      expect(await store.append("r1", 0, events)).toEqual({ kind: "appended", version: 10_000 });
      expect((await (await world.reopen()).load("r1")).events).toEqual(events);
    });

    it("appends nothing when there is nothing to append", async () => {
      await store.append("r1", 0, [created("r1")]);
      expect(await store.append("r1", 1, [])).toEqual({ kind: "appended", version: 1 });
      expect(await store.append("r1", 0, [])).toEqual({ kind: "conflict", version: 1 });
    });

    it.each(["../evil", "", "A", ".", "a/b", "-x", "con", "a".repeat(64)])(
      "refuses %j as a name",
      async (id) => {
        await expect(store.load(id)).rejects.toThrow(`is not the name of ${sample.withArticle}`);
        await expect(store.append(id, 0, [created("r1")])).rejects.toThrow(
          `is not the name of ${sample.withArticle}`,
        );
        await expect(store.remove(id)).rejects.toThrow(`is not the name of ${sample.withArticle}`);
      },
    );
  });
}

function nextChange<E>(store: LedgerStore<E>, id: string): Promise<void> {
  return new Promise((resolve) => {
    const unwatch = store.watch(id, () => {
      unwatch();
      resolve();
    });
  });
}
