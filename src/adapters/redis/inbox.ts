import type { Redis } from "ioredis";
import * as z from "zod";
import { deliverySchema } from "../../core/command/delivery.ts";
import { messageOf, UserError } from "../../core/errors.ts";
import type { Inbox } from "../../ports/inbox.ts";
import { explainRedis } from "./explain-redis.ts";
import { runScript, script } from "./run-script.ts";

/**
 * Deliveries under `loom:{inbox}`: the ones that wait as texts of their own, a sorted set of their ids by arrival, and
 * for a week a mark for each that is done. What belongs together changes in one script.
 */
type InboxOptions = { readonly redis: Redis; readonly name?: string };
type InboxOf<D> = InboxOptions & { readonly schema: z.ZodType<D> };

const REMEMBERED_MS = 7 * 24 * 60 * 60 * 1000;

/** KEYS: delivery, done mark, waiting set. ARGV: id, delivery. */
const PUT = script(`
if redis.call('EXISTS', KEYS[2]) == 1 then return 'done' end
if not redis.call('SET', KEYS[1], ARGV[2], 'NX') then return 'waiting' end
local time = redis.call('TIME')
redis.call('ZADD', KEYS[3], string.format('%d', time[1] * 1000000 + time[2]), ARGV[1])
return 'new'
`);
/** KEYS: as above. ARGV: id, how long to remember. */
const DONE = script(`
redis.call('SET', KEYS[2], '1', 'PX', ARGV[2])
redis.call('DEL', KEYS[1])
redis.call('ZREM', KEYS[3], ARGV[1])
`);

/** KEYS: delivery, waiting set. ARGV: id. */
const DROP = script(`
redis.call('DEL', KEYS[1])
redis.call('ZREM', KEYS[2], ARGV[1])
`);

export const putSchema = z.enum(["new", "waiting", "done"]);

type InboxKeys = [delivery: string, done: string, waiting: string];

export function inboxKeys(name: string, id: string): InboxKeys {
  return [`loom:{${name}}:delivery:${id}`, `loom:{${name}}:done:${id}`, `loom:{${name}}:waiting`];
}

export function createRedisInbox(options: InboxOptions): Inbox {
  return createRedisInboxOf({ ...options, schema: deliverySchema });
}

/** The same for whatever a delivery is kept as. */
export function createRedisInboxOf<D>({ redis, name = "inbox", schema }: InboxOf<D>): Inbox<D> {
  const waitingKey = `loom:{${name}}:waiting`;
  const keysOf = (id: string): InboxKeys => inboxKeys(name, id);

  return {
    async put(id, delivery) {
      const answer = runScript(redis, PUT, keysOf(id), [id, JSON.stringify(delivery)]);
      return putSchema.parse(await explainRedis(`keep delivery ${id}`, answer));
    },

    async get(id) {
      const text = await explainRedis(`read delivery ${id}`, redis.get(keysOf(id)[0]));
      return text === null ? null : parse(schema, id, text);
    },

    async done(id) {
      await explainRedis(
        `note that delivery ${id} is done`,
        runScript(redis, DONE, keysOf(id), [id, REMEMBERED_MS]),
      );
    },

    async drop(id) {
      const [delivery] = keysOf(id);
      await explainRedis(`forget delivery ${id}`, runScript(redis, DROP, [delivery, waitingKey], [id]));
    },

    async waiting(limit) {
      if (limit < 1) return [];
      const found = await explainRedis(
        "list the deliveries that wait",
        redis.zrange(waitingKey, 0, String(limit - 1), "WITHSCORES"),
      );
      return found.flatMap((id, n) => {
        if (n % 2 === 1) return [];
        return [{ id, since: new Date(Math.floor(Number(found[n + 1]) / 1000)).toISOString() }];
      });
    },
  };
}

function parse<D>(schema: z.ZodType<D>, id: string, text: string): D {
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : messageOf(error);
    throw new UserError(`Delivery ${id} is damaged, or was written by a newer Loom: ${reason}`, {
      next: "Redeliver it from the App's settings on GitHub.",
      cause: error,
    });
  }
}
