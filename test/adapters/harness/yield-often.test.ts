import { expect, it } from "vitest";
import { createYield } from "../../../src/adapters/harness/yield-often.ts";

it("lets timers and signals have their turn while lines come without a pause", async () => {
  const yieldOften = createYield();
  let isDue = false;
  setTimeout(() => {
    isDue = true;
  }, 20);
  const end = performance.now() + 5_000;
  while (!isDue && performance.now() < end) await yieldOften();
  expect(isDue).toBe(true);
});
