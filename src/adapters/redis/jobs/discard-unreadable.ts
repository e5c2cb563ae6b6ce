import type { Redis } from "ioredis";

/**
 * A job that is not even JSON makes BullMQ throw between taking and handing it out. Nobody holds it then, so it would be
 * found stalled and taken again for ever. Only what others wrote into Redis can be like that. Returns the ids.
 */
export async function discardUnreadable(redis: Redis, queueKey: string): Promise<string[]> {
  const active = `${queueKey}:active`;
  const discarded: string[] = [];
  for (const id of await redis.lrange(active, 0, -1)) {
    const key = `${queueKey}:${id}`;
    const fields = await redis.hmget(key, "data", "opts");
    if (fields.every(isReadable)) continue;
    await redis.lrem(active, 1, id);
    await redis.srem(`${queueKey}:stalled`, id);
    await redis.del(key, `${key}:lock`);
    discarded.push(id);
  }
  return discarded;
}

function isReadable(text: string | null): boolean {
  try {
    JSON.parse(text ?? "{}");
    return true;
  } catch {
    return false;
  }
}
