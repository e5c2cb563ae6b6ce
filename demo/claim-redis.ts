import { Redis } from "ioredis";
import { messageOf } from "../src/core/errors.ts";

/** A Redis database that only this demo uses. */
export type ClaimedRedis = {
  readonly url: string;
  /** Empties it again. */
  release(): Promise<void>;
};

const LAST_DATABASE = 15;
const CLAIM = "loom-demo:claimed";
/** So that a demo that was killed does not keep its database for ever. */
const CLAIM_SECS = 3_600;

/**
 * Finds an empty database behind REDIS_URL: a Loom that works with the same Redis must neither see the demo's jobs nor
 * lose its own. An address that names a database gets that one, and only when it is empty.
 */
export async function claimRedis(address: string): Promise<ClaimedRedis> {
  const url = new URL(address);
  const named = /^\/(\d+)$/.exec(url.pathname)?.[1];
  const candidates =
    named === undefined
      ? Array.from({ length: LAST_DATABASE + 1 }, (_, index) => LAST_DATABASE - index)
      : [Number(named)];
  for (const database of candidates) {
    url.pathname = `/${database}`;
    if (await claim(url)) return { url: url.href, release: () => empty(url) };
  }
  throw new Error(
    named === undefined
      ? "The Redis at REDIS_URL has no empty database. Unset REDIS_URL, or choose another Redis."
      : `Database ${named} of REDIS_URL is not empty. Choose an empty one, or unset REDIS_URL.`,
  );
}

async function claim(url: URL): Promise<boolean> {
  return inDatabase(url, async (redis) => {
    if ((await redis.dbsize()) > 0) return false;
    return (await redis.set(CLAIM, "1", "EX", CLAIM_SECS, "NX")) === "OK";
  });
}

async function empty(url: URL): Promise<void> {
  await inDatabase(url, async (redis) => {
    await redis.flushdb();
    return true;
  });
}

/** False for a database that the server does not have. */
async function inDatabase(url: URL, act: (redis: Redis) => Promise<boolean>): Promise<boolean> {
  const server = new URL(url);
  server.pathname = "";
  const redis = new Redis(server.href, {
    lazyConnect: true,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let problem: Error | null = null;
  redis.on("error", (error: Error) => {
    problem ??= error;
  });
  try {
    await redis.connect();
    // Asked for in the address, a database that is not there would silently become the first one.
    const exists = await redis.select(Number(url.pathname.slice(1))).catch(() => null);
    return exists === null ? false : await act(redis);
  } catch (error) {
    throw new Error(`Loom can't use the Redis at REDIS_URL: ${messageOf(problem ?? error)}`, {
      cause: error,
    });
  } finally {
    redis.disconnect();
  }
}
