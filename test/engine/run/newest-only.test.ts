import { describe, expect, it } from "vitest";
import { createNewestOnly } from "../../../src/engine/run/newest-only.ts";
import { steppedTimers } from "../../support/stepped-timers.ts";

const RATE = { burst: 2, everyMs: 100 };

describe("the newest only", () => {
  it("passes a few at once, then one at a time, always the newest, and counts the others", () => {
    const clock = steppedTimers(0);
    const seen: number[] = [];
    const news = createNewestOnly<number>((n) => void seen.push(n), RATE, clock);
    for (let n = 1; n <= 300_000; n += 1) news.offer(n);
    expect(seen).toEqual([1, 2]);
    expect(clock.pending).toBe(1);
    clock.pass(100);
    expect(seen).toEqual([1, 2, 300_000]);
    clock.pass(10_000);
    for (const n of [4, 5, 6, 7]) news.offer(n);
    expect(seen).toEqual([1, 2, 300_000, 4, 5]);
    clock.pass(100);
    expect(seen.at(-1)).toBe(7);
    expect(news.dropped()).toBe(299_997 + 1);
  });

  it("keeps its rate for as long as a flood lasts", () => {
    const clock = steppedTimers(0);
    let passed = 0;
    const news = createNewestOnly<number>(
      () => {
        passed += 1;
      },
      RATE,
      clock,
    );
    for (let ms = 0; ms < 10_000; ms += 1) {
      news.offer(ms);
      clock.pass(1);
    }
    expect(passed).toBeGreaterThan(90);
    expect(passed).toBeLessThanOrEqual(102);
  });

  it("has one write under way, however long that takes, and the newest follows it", async () => {
    const writes: { n: number; done: () => void }[] = [];
    const write = (n: number) => new Promise<void>((done) => writes.push({ n, done }));
    const news = createNewestOnly<number>(write, { burst: 9, everyMs: 1 }, steppedTimers(0));
    for (let n = 1; n <= 1_000; n += 1) news.offer(n);
    expect(writes.map(({ n }) => n)).toEqual([1]);
    writes[0]?.done();
    await new Promise(setImmediate);
    expect(writes.map(({ n }) => n)).toEqual([1, 1_000]);
  });

  it("goes on after a write that failed, and settles with the last one written", async () => {
    const seen: number[] = [];
    const write = async (n: number): Promise<void> => {
      seen.push(n);
      if (n === 1) throw new Error("disk full");
    };
    const news = createNewestOnly<number>(write, { burst: 1, everyMs: 1_000 }, steppedTimers(0));
    for (const n of [1, 2, 3]) news.offer(n);
    await news.settle();
    expect(seen).toEqual([1, 3]);
  });

  it("tells whoever comes next of a failure that happened later", () => {
    const clock = steppedTimers(0);
    let fails = false;
    const pass = () => {
      if (fails) throw new Error("gone");
    };
    const news = createNewestOnly<number>(pass, { burst: 1, everyMs: 100 }, clock);
    news.offer(1);
    news.offer(2);
    fails = true;
    clock.pass(100);
    expect(() => news.offer(3)).toThrow("gone");
  });
});
