import { setTimeout as pause } from "node:timers/promises";
import type { Redis } from "ioredis";
import { messageOf } from "../../../core/errors.ts";
import { changeFeedOf } from "../ledger/watch-changes.ts";
import { runScript, script } from "../run-script.ts";
import { FORGET, firedSchema, HAND_OVER_WITHIN_MS } from "./job-timers.ts";

/**
 * Deliveries that were kept and have no job yet: a list of ids, from which they go to a sorted set while somebody makes jobs
 * of them. A message makes it quick; it may get lost, so a slow look makes it sure. What somebody took and did not hand over
 * is handed over again after a while, and the sweep looks for deliveries that wait anyway.
 */
export type Announced = {
  /** Hands over what was announced, from now on, in the order in which it came. */
  handOver(take: (id: string) => Promise<void>): void;
  /** How many have not been handed over yet, to anybody. */
  count(): Promise<number>;
  close(): Promise<void>;
};

export type AnnouncedOptions = {
  readonly redis: Redis;
  readonly inbox: string;
  readonly onWarning: (message: string) => void;
};

/** Who holds them may die, and then they wait for half a minute. */
const MOST_AT_A_TIME = 20;
/** KEYS: announced ones, those that somebody has taken. */
const TAKE = script(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local at = string.format('%d', now)
local ids = {}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', string.format('%d', now - ${HAND_OVER_WITHIN_MS}), 'LIMIT', 0, ${MOST_AT_A_TIME})) do
  redis.call('ZADD', KEYS[2], at, id)
  ids[#ids + 1] = id
end
local fresh = redis.call('LRANGE', KEYS[1], 0, ${MOST_AT_A_TIME - 1})
redis.call('LTRIM', KEYS[1], ${MOST_AT_A_TIME}, -1)
for _, id in ipairs(fresh) do
  if redis.call('ZADD', KEYS[2], 'NX', at, id) == 1 then ids[#ids + 1] = id end
end
return {at, ids}
`);

const LOOK_EVERY_MS = 500;
const CLOSE_WITHIN_MS = 1000;

export function announcedKey(inbox: string): string {
  return `loom:{${inbox}}:announced`;
}

export function createAnnounced({ redis, inbox, onWarning }: AnnouncedOptions): Announced {
  const key = announcedKey(inbox);
  const taken = `${key}:taken`;
  let looking: Promise<void> | null = null;
  let isDue = false;
  let isStopped = false;
  let stop = (): void => {};

  async function look(take: (id: string) => Promise<void>): Promise<void> {
    while (isDue && !isStopped) {
      isDue = false;
      try {
        const [at, ids] = firedSchema.parse(await runScript(redis, TAKE, [key, taken], []));
        for (const id of ids) {
          if (isStopped) return;
          await take(id);
          await runScript(redis, FORGET, [taken], [id, at]);
        }
        // There may be more.
        isDue ||= ids.length > 0;
      } catch (error) {
        onWarning(`Announced deliveries: ${messageOf(error)}`);
      }
    }
    looking = null;
  }

  return {
    handOver(take) {
      const wake = (): void => {
        if (isStopped) return;
        isDue = true;
        looking ??= look(take);
      };
      const unlisten = changeFeedOf(redis).listen(key, wake);
      const timer = setInterval(wake, LOOK_EVERY_MS).unref();
      stop = () => {
        isStopped = true;
        clearInterval(timer);
        unlisten();
      };
      wake();
    },
    async count() {
      // In this order: what is taken in between is seen twice rather than not at all.
      return (await redis.llen(key)) + (await redis.zcard(taken));
    },
    async close() {
      stop();
      // Without Redis the look that is under way would not end.
      await Promise.race([looking, pause(CLOSE_WITHIN_MS, undefined, { ref: false })]);
    },
  };
}
