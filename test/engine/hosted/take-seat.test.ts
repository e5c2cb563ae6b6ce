import { expect, it } from "vitest";
import { createEmbeddedLeases } from "../../../src/adapters/embedded/leases.ts";
import { takeSeat } from "../../../src/engine/hosted/take-seat.ts";

it("gives an installation as many seats as it may take, and a freed one to the next", async () => {
  const leases = createEmbeddedLeases();
  const first = await takeSeat(leases, 7, 2);
  expect(await takeSeat(leases, 7, 2)).not.toBeNull();
  expect(await takeSeat(leases, 7, 2)).toBeNull();
  expect(await takeSeat(leases, 8, 2)).not.toBeNull();
  await first?.release();
  expect(await takeSeat(leases, 7, 2)).not.toBeNull();
  await leases.close();
});
