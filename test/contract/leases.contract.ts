import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Leases } from "../../src/ports/leases.ts";

export type LeasesUnderTest = { readonly leases: Leases; dispose(): Promise<void> };

/** What all leases promise. */
export function describeLeases(name: string, makeLeases: () => Promise<LeasesUnderTest>): void {
  describe(`${name} leases`, () => {
    let world: LeasesUnderTest;
    let leases: Leases;

    beforeEach(async () => {
      world = await makeLeases();
      leases = world.leases;
    });
    afterEach(() => world.dispose());

    async function take(lease: string) {
      const result = await leases.acquire(lease);
      if (result.kind === "held") throw new Error(`${lease} is held`);
      return result;
    }

    it("give a name to one at a time", async () => {
      expect(await leases.isHeld("r12/run-a")).toBe(false);
      const lease = await take("r12/run-a");
      expect(await leases.isHeld("r12/run-a")).toBe(true);
      expect(await leases.acquire("r12/run-a")).toEqual({ kind: "held" });
      expect(await leases.isHeld("r12/run-b")).toBe(false);
      await lease.release();
      expect(await leases.isHeld("r12/run-a")).toBe(false);
      await take("r12/run-a");
    });

    it("give a name to one of twenty who ask at once", async () => {
      const results = await Promise.all(Array.from({ length: 20 }, () => leases.acquire("a")));
      expect(results.filter(({ kind }) => kind === "acquired")).toHaveLength(1);
    });

    it("are not released by one who released before", async () => {
      const first = await take("a");
      await first.release();
      await take("a");
      await first.release();
      expect(await leases.isHeld("a")).toBe(true);
    });

    it("end when they are closed", async () => {
      await take("a");
      await take("b");
      await leases.close();
      expect([await leases.isHeld("a"), await leases.isHeld("b")]).toEqual([false, false]);
    });
  });
}
