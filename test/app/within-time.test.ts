import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { withinTime } from "../../src/app/within-time.ts";

const standStill = (ms: number): void =>
  void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

it("hands over what came in time", async () => {
  expect(await withinTime(1_000, "the store", async () => "here")).toBe("here");
});

it("gives up on what never comes, and says who kept silent", async () => {
  await expect(withinTime(40, "the store", () => new Promise(() => {}))).rejects.toThrow(
    "the store did not answer within 40 ms",
  );
});

it("does not hold it against the store that this process stood still", async () => {
  const work = async (): Promise<string> => {
    await delay(10);
    standStill(300);
    // Two round trips: the first answer is read after the timers, and the second is asked for only then.
    await delay(10);
    return "here";
  };
  expect(await withinTime(200, "the store", work)).toBe("here");
});
