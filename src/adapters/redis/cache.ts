import type { Redis } from "ioredis";
import * as z from "zod";
import { InternalError } from "../../core/errors.ts";
import { isId } from "../../core/ids.ts";
import type { Cache } from "../../ports/cache.ts";
import { explainRedis } from "./explain-redis.ts";
import { runScript, script } from "./run-script.ts";

/**
 * Entries under `loom:{cache/<scope>}`, and an index of their keys, sorted as bytes, so that a prefix is a range. Redis forgets
 * an entry in its time and not its place in the index, so the times stand in a set of their own, and each write clears a few.
 */
type CacheOptions = { readonly redis: Redis; readonly scope: string };

/**
 * KEYS: what every entry's key begins with, index, times. ARGV: key, value, time to live or 0. More leave the index with a write
 * than come into it.
 */
const SET = script(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local ttl = tonumber(ARGV[3])
redis.call('SET', KEYS[1] .. ARGV[1], ARGV[2])
if ttl > 0 then
  redis.call('PEXPIRE', KEYS[1] .. ARGV[1], ttl)
  redis.call('ZADD', KEYS[3], string.format('%d', now + ttl), ARGV[1])
else
  redis.call('ZREM', KEYS[3], ARGV[1])
end
redis.call('ZADD', KEYS[2], 0, ARGV[1])
for _, key in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', string.format('%d', now - 1), 'LIMIT', 0, 4)) do
  if redis.call('EXISTS', KEYS[1] .. key) == 0 then
    redis.call('ZREM', KEYS[2], key)
    redis.call('ZREM', KEYS[3], key)
  end
end
`);
/** KEYS: entry, index, times. ARGV: key. */
const REMOVE = script(`
redis.call('DEL', KEYS[1])
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])
`);
/**
 * KEYS: what every entry's key begins with, index, times. ARGV: prefix. Entries are named from the first key, whose hash tag
 * they share. Takes those out of the index that have run out.
 */
const LIST = script(`
local prefix = ARGV[1]
local low, high = '-', '+'
if prefix ~= '' then low, high = '[' .. prefix, '(' .. prefix .. '\\255' end
local found = {}
for _, key in ipairs(redis.call('ZRANGEBYLEX', KEYS[2], low, high)) do
  local value = redis.call('GET', KEYS[1] .. key)
  if value then
    found[#found + 1] = key
    found[#found + 1] = value
  else
    redis.call('ZREM', KEYS[2], key)
    redis.call('ZREM', KEYS[3], key)
  end
end
return found
`);

const listSchema = z.array(z.string());

export function createRedisCache({ redis, scope }: CacheOptions): Cache {
  if (!isId(scope)) throw new InternalError(`${JSON.stringify(scope)} can't be the scope of a cache`);
  const base = `loom:{cache/${scope}}:entry:`;
  const index = `loom:{cache/${scope}}:index`;
  const times = `loom:{cache/${scope}}:times`;

  return {
    get: (key) => explainRedis(`read ${key}`, redis.get(`${base}${key}`)),

    async set(key, value, { ttlMs } = {}) {
      const ttl = ttlMs === undefined ? 0 : Math.max(1, Math.ceil(ttlMs));
      await explainRedis(`remember ${key}`, runScript(redis, SET, [base, index, times], [key, value, ttl]));
    },

    async list(prefix) {
      const answer = await explainRedis(
        `list ${prefix}`,
        runScript(redis, LIST, [base, index, times], [prefix]),
      );
      const flat = listSchema.parse(answer);
      const entries = new Map<string, string>();
      for (let n = 0; n + 1 < flat.length; n += 2) entries.set(flat[n] as string, flat[n + 1] as string);
      return entries;
    },

    async remove(key) {
      await explainRedis(`forget ${key}`, runScript(redis, REMOVE, [`${base}${key}`, index, times], [key]));
    },
  };
}
