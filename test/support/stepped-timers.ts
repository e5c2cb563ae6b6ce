import type { Timers } from "../../src/cli/output/timers.ts";

/** Time that passes only when the test says so. */
export function steppedTimers(start: number): Timers & { pass(ms: number): void; readonly pending: number } {
  let now = start;
  let waiting: { due: number; call: () => void }[] = [];
  return {
    now: () => now,
    after(ms, call) {
      const timer = { due: now + ms, call };
      waiting.push(timer);
      return () => {
        waiting = waiting.filter((one) => one !== timer);
      };
    },
    pass(ms) {
      const end = now + ms;
      for (;;) {
        const next = waiting.filter(({ due }) => due <= end).sort((a, b) => a.due - b.due)[0];
        if (!next) break;
        waiting = waiting.filter((one) => one !== next);
        now = Math.max(now, next.due);
        next.call();
      }
      now = end;
    },
    get pending() {
      return waiting.length;
    },
  };
}
