import type { Cache } from "../../../ports/cache.ts";
import { RateLimited } from "./failure.ts";
import type { Pause } from "./send.ts";

/** Holds all requests of one installation while GitHub asks for it, in every process that shares the cache. */
export type Brake = {
  /** Resolves when requests may go out; throws `RateLimited` when that is too far away. */
  wait(): Promise<void>;
  /** Throws when the time is longer than a job should wait. */
  hold(ms: number): Promise<void>;
};

export type BrakeOptions = {
  readonly key: string;
  readonly cache: Cache | null;
  readonly maxWaitMs: number;
  readonly now: () => number;
  readonly pause: Pause;
};

/** How old the knowledge of what other processes were told may be. */
const LOOK_EVERY_MS = 5_000;

export function createBrake({ key, cache, maxWaitMs, now, pause }: BrakeOptions): Brake {
  let until = 0;
  let lookedAt = Number.NEGATIVE_INFINITY;

  async function look(): Promise<void> {
    if (!cache || now() - lookedAt < LOOK_EVERY_MS) return;
    lookedAt = now();
    // Forgetting is no loss, so a cache in trouble must not stop the work.
    const shared = Number(await cache.get(key).catch(() => null));
    if (Number.isFinite(shared)) until = Math.max(until, shared);
  }

  return {
    async wait() {
      await look();
      const ms = until - now();
      if (ms <= 0) return;
      if (ms > maxWaitMs) throw new RateLimited(ms);
      await pause(ms);
    },
    async hold(ms) {
      until = Math.max(until, now() + ms);
      await cache?.set(key, String(until), { ttlMs: ms + 1000 }).catch(() => undefined);
      if (ms > maxWaitMs) throw new RateLimited(ms);
    },
  };
}
