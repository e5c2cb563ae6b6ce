import type { Pause } from "./send.ts";

/**
 * Keeps writes to one repository apart: a burst passes at once, a stream is slowed to one per `everyMs`. GitHub advises a
 * second between writes, but a run that makes three comments an hour should not feel that.
 */
export type Pace = { turn(): Promise<void> };

export type PaceOptions = {
  readonly burst: number;
  readonly everyMs: number;
  readonly now: () => number;
  readonly pause: Pause;
};

export function createPace({ burst, everyMs, now, pause }: PaceOptions): Pace {
  let next = 0;
  return {
    async turn() {
      if (everyMs <= 0) return;
      const due = Math.max(next, now());
      next = due + everyMs;
      const wait = due - now() - (burst - 1) * everyMs;
      if (wait > 0) await pause(wait);
    },
  };
}
