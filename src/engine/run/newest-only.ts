export type Rate = {
  /** So many pass at once, after a rest. */
  readonly burst: number;
  /** Then one in this time. */
  readonly everyMs: number;
};

export type NewestOnly<T> = {
  offer(value: T): void;
  /** Passes on what still waits, whatever the rate, and waits for what is under way. */
  settle(): Promise<void>;
  /** So many were never passed on, because a newer one came. */
  dropped(): number;
};

/** Time as a rate needs it, so that a test can hand it out in portions. */
export type RateClock = { now(): number; after(ms: number, call: () => void): void };

/** What is due must not keep the process alive. */
const REAL: RateClock = {
  now: () => performance.now(),
  after: (ms, call) => void setTimeout(call, ms).unref(),
};

/**
 * Bounds what anybody can cause by telling the same kind of news over and over: `pass` is called at a bounded rate, and
 * never while an earlier call is under way. Of what comes meanwhile only the newest is kept, so memory holds one value
 * however many came. The newest is always passed on, a moment later or by `settle`. A queue was rejected: whoever lags
 * behind a flood wants to know what is, not what was.
 */
export function createNewestOnly<T>(
  pass: (value: T) => Promise<void> | void,
  { burst, everyMs }: Rate,
  clock: RateClock = REAL,
): NewestOnly<T> {
  let waiting: { readonly value: T } | null = null;
  let underWay: Promise<void> | null = null;
  let isDue = false;
  let failure: { readonly error: unknown } | null = null;
  let dropped = 0;
  let left = burst;
  let filledAt = clock.now();

  const mayPass = (): boolean => {
    const now = clock.now();
    const gained = Math.floor((now - filledAt) / everyMs);
    if (gained > 0) {
      left = Math.min(burst, left + gained);
      filledAt = left === burst ? now : filledAt + gained * everyMs;
    }
    return left > 0;
  };

  const fallBack = (value: T): void => {
    left -= 1;
    const writing = pass(value);
    if (!writing) return;
    underWay = writing
      .catch(() => {})
      .then(() => {
        underWay = null;
        next();
      });
  };

  const next = (): void => {
    if (waiting === null || underWay !== null || isDue) return;
    if (mayPass()) {
      const { value } = waiting;
      waiting = null;
      fallBack(value);
      return;
    }
    isDue = true;
    clock.after(Math.max(1, filledAt + everyMs - clock.now()), () => {
      isDue = false;
      try {
        next();
      } catch (error) {
        // Nobody called, so nobody would hear of it; whoever comes next does.
        failure = { error };
      }
    });
  };

  const throwLate = (): void => {
    if (failure === null) return;
    const { error } = failure;
    failure = null;
    throw error;
  };

  return {
    offer(value) {
      throwLate();
      if (waiting !== null) dropped += 1;
      waiting = { value };
      next();
    },
    async settle() {
      throwLate();
      while (underWay !== null || waiting !== null) {
        await underWay;
        if (waiting === null) continue;
        const { value }: { readonly value: T } = waiting;
        waiting = null;
        fallBack(value);
      }
    },
    dropped: () => dropped,
  };
}
