import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Cache } from "../../src/ports/cache.ts";
import { until } from "../support/living-processes.ts";

export type CacheUnderTest = {
  readonly cache: Cache;
  /** Another instance over the same data. */
  reopen(): Promise<Cache>;
  dispose(): Promise<void>;
};

/** What every cache promises. */
export function describeCache(name: string, makeCache: () => Promise<CacheUnderTest>): void {
  describe(`${name} cache`, () => {
    let world: CacheUnderTest;
    let cache: Cache;

    beforeEach(async () => {
      world = await makeCache();
      cache = world.cache;
    });
    afterEach(() => world.dispose());

    it("remembers, replaces and forgets", async () => {
      expect(await cache.get("panel/a")).toBeNull();
      await cache.set("panel/a", "one");
      expect(await cache.get("panel/a")).toBe("one");
      await cache.set("panel/a", "");
      expect(await cache.get("panel/a")).toBe("");
      await cache.remove("panel/a");
      await cache.remove("panel/a");
      expect(await cache.get("panel/a")).toBeNull();
      expect(await cache.list("")).toEqual(new Map());
    });

    it("lists the entries whose keys begin alike", async () => {
      for (const key of ["panel/a", "panel/b", "panels", "etag/é", "etag/éa", "panel"]) {
        await cache.set(key, `of ${key}`);
      }
      expect(await cache.list("panel/")).toEqual(
        new Map([
          ["panel/a", "of panel/a"],
          ["panel/b", "of panel/b"],
        ]),
      );
      expect([...(await cache.list("etag/é")).keys()].sort()).toEqual(["etag/é", "etag/éa"]);
      expect((await cache.list("")).size).toBe(6);
      expect(await cache.list("nothing")).toEqual(new Map());
    });

    it("gives everything back to another instance", async () => {
      const value = '漢字 🧵 \u2028 \u0000 "quoted" \\ \r\n';
      await cache.set("a", value);
      const other = await world.reopen();
      expect(await other.get("a")).toBe(value);
      await other.set("a", "new");
      expect(await cache.get("a")).toBe("new");
    });

    it("forgets what has had its time, and keeps what was set anew without one", async () => {
      await cache.set("short", "x", { ttlMs: 20 });
      await cache.set("renewed", "x", { ttlMs: 20 });
      await cache.set("renewed", "y");
      await cache.set("long", "z", { ttlMs: 600_000 });
      await until(async () => (await cache.get("short")) === null, "the entry is forgotten");
      expect(await cache.list("")).toEqual(
        new Map([
          ["renewed", "y"],
          ["long", "z"],
        ]),
      );
    });

    it("never gives back half a value while it is written", async () => {
      const values = ["a".repeat(50_000), "b".repeat(50_000)];
      await cache.set("k", values[0] ?? "");
      const other = await world.reopen();
      const writing = Promise.all(Array.from({ length: 20 }, (_, n) => other.set("k", values[n % 2] ?? "")));
      const seen = await Promise.all(Array.from({ length: 20 }, () => cache.get("k")));
      await writing;
      for (const value of seen) expect(values.includes(value ?? "")).toBe(true);
    });
  });
}
