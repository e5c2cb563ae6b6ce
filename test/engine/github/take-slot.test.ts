import { expect, it } from "vitest";
import { createEmbeddedLeases } from "../../../src/adapters/embedded/leases.ts";
import { takeSlot } from "../../../src/engine/github/take-slot.ts";

it("gives an installation as many slots as it may take, and a freed one to the next", async () => {
  const leases = createEmbeddedLeases();
  const first = await takeSlot(leases, 7, 2);
  expect(await takeSlot(leases, 7, 2)).not.toBeNull();
  expect(await takeSlot(leases, 7, 2)).toBeNull();
  expect(await takeSlot(leases, 8, 2)).not.toBeNull();
  await first?.release();
  expect(await takeSlot(leases, 7, 2)).not.toBeNull();
  await leases.close();
});
