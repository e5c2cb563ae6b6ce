import type { Redis } from "ioredis";
import type { Intake } from "../../ports/inbox.ts";
import { explainRedis } from "./explain-redis.ts";
import { inboxKeys, putSchema } from "./inbox.ts";
import { announcedKey } from "./jobs/announced.ts";
import { runScript, script } from "./run-script.ts";

/**
 * Keeps a delivery and announces it in one step, so that GitHub waits for one way to Redis and back. Whoever takes jobs
 * makes one of the announcement (see announced.ts). Putting the job into BullMQ's queue from here was rejected: it costs
 * Redis more than twice as much as the delivery itself, and GitHub would wait for it.
 *
 * KEYS: delivery, done mark, waiting set, announced ones. ARGV: id, delivery. Without the right to publish, what was
 * announced is found by looking.
 */
const TAKE = script(`
if redis.call('EXISTS', KEYS[2]) == 1 then return 'done' end
local isNew = redis.call('SET', KEYS[1], ARGV[2], 'NX')
if isNew then
  local time = redis.call('TIME')
  redis.call('ZADD', KEYS[3], string.format('%d', time[1] * 1000000 + time[2]), ARGV[1])
end
redis.call('RPUSH', KEYS[4], ARGV[1])
redis.pcall('PUBLISH', KEYS[4], '')
return isNew and 'new' or 'waiting'
`);

export type RedisIntakeOptions = { readonly redis: Redis; readonly inbox?: string };

export function createRedisIntake({ redis, inbox = "inbox" }: RedisIntakeOptions): Intake<unknown> {
  const announced = announcedKey(inbox);
  return {
    async take(id, delivery) {
      const keys = [...inboxKeys(inbox, id), announced];
      const answer = runScript(redis, TAKE, keys, [id, JSON.stringify(delivery)]);
      return putSchema.parse(await explainRedis(`keep delivery ${id}`, answer));
    },
  };
}
