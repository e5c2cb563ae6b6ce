import { expect, it } from "vitest";
import { createTurns } from "../../../src/adapters/harness/take-turns.ts";

it("lets timers and signals have their turn while lines come without a pause", async () => {
  const takeTurns = createTurns();
  let isDue = false;
  setTimeout(() => {
    isDue = true;
  }, 20);
  const end = performance.now() + 5_000;
  while (!isDue && performance.now() < end) await takeTurns();
  expect(isDue).toBe(true);
});
