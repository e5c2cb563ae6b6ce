import type { Millis } from "../../core/ids.ts";

/** Time as the live output needs it, so that a test can hand it out in portions. */
export type Timers = {
  now(): Millis;
  /** Calls back once; the result takes it back. */
  after(ms: Millis, call: () => void): () => void;
};

export const realTimers: Timers = {
  now: Date.now,
  after(ms, call) {
    // A picture that is due must not keep the process alive.
    const timer = setTimeout(call, ms).unref();
    return () => clearTimeout(timer);
  },
};
