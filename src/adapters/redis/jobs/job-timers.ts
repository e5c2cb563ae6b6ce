import type { Redis } from "ioredis";
import * as z from "zod";
import { runScript, script } from "../run-script.ts";

/**
 * Jobs whose time has yet to come: a sorted set from a job, as text, to when it is due, by the clock of Redis, the only
 * one that all processes share (F23). Setting a timer again can only bring it forward.
 *
 * BullMQ's own delays were rejected: of a job that comes twice while it is worked on it keeps the last one, so that "in
 * an hour" would take the place of "now" and lose a wake-up.
 */
export type JobTimers = {
  set(entry: string, delayMs: number): Promise<void>;
  cancel(entry: string): Promise<void>;
  /** Hands over what is due, and forgets it afterwards; what dies in between is handed over again. */
  fire(handOver: (entry: string) => Promise<void>): Promise<void>;
  count(): Promise<number>;
};

export const HAND_OVER_WITHIN_MS = 30_000;
const NOW = `
local now = tonumber(ARGV[1])
if now < 0 then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
`;
const SET = script(`${NOW}
redis.call('ZADD', KEYS[1], 'LT', string.format('%d', now + tonumber(ARGV[2])), ARGV[3])
`);
/**
 * KEYS: timers, fired. Moves what is due to the fired ones, where setting a timer anew does not meet it; what somebody
 * fired and did not hand over for a while is due again.
 */
const FIRE = script(`${NOW}
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', string.format('%d', now), 'LIMIT', 0, 100)
for _, entry in ipairs(due) do
  redis.call('ZREM', KEYS[1], entry)
end
for _, entry in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', string.format('%d', now - ${HAND_OVER_WITHIN_MS}))) do
  due[#due + 1] = entry
end
local at = string.format('%d', now)
for _, entry in ipairs(due) do
  redis.call('ZADD', KEYS[2], at, entry)
end
return {at, due}
`);
/** KEYS: fired. Only while it is the same firing: it may have been set, and fired, again. */
export const FORGET = script(`
if redis.call('ZSCORE', KEYS[1], ARGV[1]) == ARGV[2] then redis.call('ZREM', KEYS[1], ARGV[1]) end
`);

export const firedSchema = z.tuple([z.string(), z.array(z.string())]);

type TimersOptions = { readonly redis: Redis; readonly key: string; readonly now?: () => number };

export function createJobTimers({ redis, key, now }: TimersOptions): JobTimers {
  const fired = `${key}:fired`;
  const time = (): number => now?.() ?? -1;
  return {
    async set(entry, delayMs) {
      await runScript(redis, SET, [key], [time(), Math.ceil(delayMs), entry]);
    },
    async cancel(entry) {
      await redis.zrem(key, entry);
    },
    async fire(handOver) {
      const [at, due] = firedSchema.parse(await runScript(redis, FIRE, [key, fired], [time()]));
      for (const entry of due) {
        await handOver(entry);
        await runScript(redis, FORGET, [fired], [entry, at]);
      }
    },
    async count() {
      // In this order: what is moved in between is seen twice rather than not at all.
      return (await redis.zcard(key)) + (await redis.zcard(fired));
    },
  };
}
