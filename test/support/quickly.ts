import { expect } from "vitest";

const TRIES = 3;

/**
 * Holds `act` to the time that it takes when nothing is in its way: a busy machine stretches the clock, collecting garbage
 * on other threads stretches the time of the process, and either can happen to one try and not to the next.
 */
export function quickly<T>(limitMs: number, act: () => T, what?: string): T {
  const times: number[] = [];
  for (;;) {
    const cpu = process.cpuUsage();
    const clock = performance.now();
    const result = act();
    const { user, system } = process.cpuUsage(cpu);
    times.push(Math.min(performance.now() - clock, (user + system) / 1000));
    if (Math.min(...times) < limitMs) return result;
    if (times.length === TRIES) expect(Math.min(...times), what).toBeLessThan(limitMs);
  }
}

/**
 * For a test that holds Loom to seconds on the clock: a machine that stands still for a moment breaks any such promise, but
 * not three times in a row.
 */
export const BY_THE_CLOCK = { retry: 2 } as const;
