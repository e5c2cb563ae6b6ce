import { setImmediate as turn } from "node:timers/promises";

/** A clock and its timers, moved by hand. */
export function createManualTime() {
  const timers = new Set<{ readonly due: number; readonly fire: () => void }>();
  let time = 1_000_000;
  return {
    now: () => time,
    setTimer(fire: () => void, ms: number): () => void {
      const timer = { due: time + ms, fire };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    pending: () => timers.size,
    /** Stops at every timer on the way, and lets the work that it started settle. */
    async advance(ms: number): Promise<void> {
      const end = time + ms;
      for (;;) {
        await turn();
        const [next] = [...timers].filter(({ due }) => due <= end).sort((a, b) => a.due - b.due);
        if (next === undefined) break;
        timers.delete(next);
        time = next.due;
        next.fire();
      }
      time = end;
      await turn();
    },
  };
}
