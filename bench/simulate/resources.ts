/** Something that is used by one after the other, such as a CPU; `count` of them side by side. */
export type Resource = {
  readonly name: string;
  /** When it will have been used for so long by whoever asks at `now`. */
  use(now: number, ms: number): number;
  /** For how long all of them together were used, in milliseconds. */
  readonly busyMs: number;
  readonly count: number;
};

export function createResource(name: string, count = 1): Resource {
  const freeAt = new Array<number>(count).fill(0);
  let busyMs = 0;
  return {
    name,
    count,
    get busyMs() {
      return busyMs;
    },
    use(now, ms) {
      let next = 0;
      for (let n = 1; n < count; n += 1) if ((freeAt[n] ?? 0) < (freeAt[next] ?? 0)) next = n;
      const end = Math.max(now, freeAt[next] ?? 0) + ms;
      freeAt[next] = end;
      busyMs += ms;
      return end;
    },
  };
}

/** So many in any stretch of this length, as GitHub limits requests. */
export type Limit = {
  readonly name: string;
  readonly max: number;
  readonly perMs: number;
  /** The earliest time from `now` on at which so many may go out together. */
  earliest(now: number, amount: number): number;
  take(at: number, amount: number): void;
  readonly taken: number;
};

export function createLimit(name: string, max: number, perMs: number): Limit {
  /** When each went out, the oldest first. */
  const times: number[] = [];
  return {
    name,
    max,
    perMs,
    get taken() {
      return times.length;
    },
    earliest(now, amount) {
      // The one that would be too many has to be out of the window, and nobody overtakes.
      const blocking = times[times.length + amount - 1 - max];
      return Math.max(now, times.at(-1) ?? 0, blocking === undefined ? 0 : blocking + perMs);
    },
    take(at, amount) {
      for (let n = 0; n < amount; n += 1) times.push(at);
    },
  };
}

/** Asks all limits at once; each amount stands for the limit of its place. */
export function takeFrom(limits: readonly (readonly [Limit, number])[], now: number): number {
  let at = now;
  // A later time for one may be too early for another no more, but never the other way round.
  for (const [limit, amount] of limits) at = Math.max(at, limit.earliest(at, amount));
  for (const [limit, amount] of limits) limit.take(at, amount);
  return at;
}
