import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Shelf } from "../../src/ports/shelf.ts";
import { until } from "../support/living-processes.ts";

export type ShelfUnderTest = {
  readonly shelf: Shelf;
  /** Another instance over the same data. */
  reopen(): Promise<Shelf>;
  dispose(): Promise<void>;
};

/** What every shelf promises. */
export function describeShelf(name: string, makeShelf: () => Promise<ShelfUnderTest>): void {
  describe(`${name} shelf`, () => {
    let world: ShelfUnderTest;
    let shelf: Shelf;

    beforeEach(async () => {
      world = await makeShelf();
      shelf = world.shelf;
    });
    afterEach(() => world.dispose());

    it("remembers, replaces and forgets", async () => {
      expect(await shelf.get("panel/a")).toBeNull();
      await shelf.set("panel/a", "one");
      expect(await shelf.get("panel/a")).toBe("one");
      await shelf.set("panel/a", "");
      expect(await shelf.get("panel/a")).toBe("");
      await shelf.remove("panel/a");
      await shelf.remove("panel/a");
      expect(await shelf.get("panel/a")).toBeNull();
      expect(await shelf.list("")).toEqual(new Map());
    });

    it("lists the entries whose keys begin alike", async () => {
      for (const key of ["panel/a", "panel/b", "panels", "etag/é", "etag/éa", "panel"]) {
        await shelf.set(key, `of ${key}`);
      }
      expect(await shelf.list("panel/")).toEqual(
        new Map([
          ["panel/a", "of panel/a"],
          ["panel/b", "of panel/b"],
        ]),
      );
      expect([...(await shelf.list("etag/é")).keys()].sort()).toEqual(["etag/é", "etag/éa"]);
      expect((await shelf.list("")).size).toBe(6);
      expect(await shelf.list("nothing")).toEqual(new Map());
    });

    it("gives everything back to another instance", async () => {
      const value = '漢字 🧵 \u2028 \u0000 "quoted" \\ \r\n';
      await shelf.set("a", value);
      const other = await world.reopen();
      expect(await other.get("a")).toBe(value);
      await other.set("a", "new");
      expect(await shelf.get("a")).toBe("new");
    });

    it("forgets what has had its time, and keeps what was set anew without one", async () => {
      await shelf.set("short", "x", { ttlMs: 20 });
      await shelf.set("renewed", "x", { ttlMs: 20 });
      await shelf.set("renewed", "y");
      await shelf.set("long", "z", { ttlMs: 600_000 });
      await until(async () => (await shelf.get("short")) === null, "the entry is forgotten");
      expect(await shelf.list("")).toEqual(
        new Map([
          ["renewed", "y"],
          ["long", "z"],
        ]),
      );
    });

    it("never gives back half a value while it is written", async () => {
      const values = ["a".repeat(50_000), "b".repeat(50_000)];
      await shelf.set("k", values[0] ?? "");
      const other = await world.reopen();
      const writing = Promise.all(Array.from({ length: 20 }, (_, n) => other.set("k", values[n % 2] ?? "")));
      const seen = await Promise.all(Array.from({ length: 20 }, () => shelf.get("k")));
      await writing;
      for (const value of seen) expect(values.includes(value ?? "")).toBe(true);
    });
  });
}
