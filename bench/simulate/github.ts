import type { Clock } from "./clock.ts";
import type { World } from "./costs.ts";
import { createLimit, type Limit, takeFrom } from "./resources.ts";
import type { Target } from "./service.ts";

const MINUTE = 60_000;
const HOUR = 3_600_000;
/** What GitHub counts for a write and for a read. */
const WRITE_POINTS = 5;

/** GitHub's limits for each installation. Loom is told to wait and does so; here it waits for just as long as it has to. */
export function createGitHub(clock: Clock, world: World, targets: readonly Target[]) {
  const installations = new Map(targets.map((target) => [target, createInstallation()]));
  const of = (target: Target) => installations.get(target) as ReturnType<typeof createInstallation>;
  /** What is left of parts of requests. */
  const parts = new Map<Target, number>();

  return {
    limits: [...installations.values()].map((one) => Object.values(one)),

    /** A request that makes content, and its answer. Returns for how long GitHub's limits held it up. */
    async *make(target: Target): AsyncGenerator<number, number, void> {
      const asked = clock.now();
      const { contentPerMinute, contentPerHour, points, requests } = of(target);
      yield takeFrom(
        [
          [contentPerMinute, 1],
          [contentPerHour, 1],
        ],
        clock.now(),
      );
      // Not before: what waits for one limit counts for no other yet.
      const goes = takeFrom(
        [
          [points, WRITE_POINTS],
          [requests, 1],
        ],
        clock.now(),
      );
      yield goes + world.githubMs;
      return goes - asked;
    },

    /** Writes that make none, such as checks and labels. */
    tell(target: Target, now: number, amount: number): number {
      const { points, requests } = of(target);
      const all = (parts.get(target) ?? 0) + amount;
      const whole = Math.floor(all);
      parts.set(target, all - whole);
      if (whole === 0) return now;
      return takeFrom(
        [
          [points, WRITE_POINTS * whole],
          [requests, whole],
        ],
        now,
      );
    },

    /** So many that only read: when the last of them may go out. */
    read(target: Target, now: number, amount: number): number {
      const { points, requests } = of(target);
      const whole = Math.round(amount);
      if (whole === 0) return now;
      return takeFrom(
        [
          [points, whole],
          [requests, whole],
        ],
        now,
      );
    },
  };
}

function createInstallation(): Record<"contentPerMinute" | "contentPerHour" | "points" | "requests", Limit> {
  return {
    contentPerMinute: createLimit("GitHub: 80 requests a minute that make content", 80, MINUTE),
    contentPerHour: createLimit("GitHub: 500 requests an hour that make content", 500, HOUR),
    points: createLimit("GitHub: 900 points a minute", 900, MINUTE),
    requests: createLimit("GitHub: 5,000 requests an hour", 5_000, HOUR),
  };
}
