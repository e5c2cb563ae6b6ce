import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Leases } from "../../ports/leases.ts";
import { explainRedis } from "./explain-redis.ts";
import { runScript, script } from "./run-script.ts";

/**
 * A lease is a key that runs out, by the clock of Redis (F23), with the holder's random token in it. A process that
 * stood still for longer than that has lost it if somebody else took it meanwhile; if nobody did, as after a restart of
 * Redis, the next renewal takes it again.
 */
type LeasesOptions = { readonly redis: Redis; readonly ttlMs?: number };

const TTL_MS = 30_000;
const RELEASE_WITHIN_MS = 1000;

/** KEYS: lease. ARGV: token, time to live. */
const RENEW = script(`
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
`);
const RELEASE = script(`
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1
`);

export function createRedisLeases({ redis, ttlMs = TTL_MS }: LeasesOptions): Leases {
  const releases = new Set<() => Promise<void>>();
  const keyOf = (name: string): string => `loom:lease:${name}`;

  function keep(key: string, token: string): () => Promise<void> {
    let isRenewing = false;
    let isReleased = false;
    const renew = async (): Promise<void> => {
      if (isRenewing) return;
      isRenewing = true;
      try {
        const isMine = await runScript(redis, RENEW, [key], [token, ttlMs]);
        if (isMine !== 1) clearInterval(timer);
        // A renewal that was under way when we released has taken the lease anew.
        else if (isReleased) await runScript(redis, RELEASE, [key], [token]);
      } catch {
        // The next one may get through; if none does, the lease ends, as it should.
      } finally {
        isRenewing = false;
      }
    };
    const timer = setInterval(() => void renew(), ttlMs / 3).unref();
    const release = async (): Promise<void> => {
      clearInterval(timer);
      isReleased = true;
      releases.delete(release);
      const releasing = runScript(redis, RELEASE, [key], [token]).catch(() => {});
      // Without Redis it ends by itself.
      await Promise.race([releasing, pause(RELEASE_WITHIN_MS, undefined, { ref: false })]);
    };
    releases.add(release);
    return release;
  }

  return {
    async acquire(name) {
      const key = keyOf(name);
      const token = randomUUID();
      const taken = await explainRedis(`take ${name}`, redis.set(key, token, "PX", ttlMs, "NX"));
      // A connection that broke after the write sends it again, and then finds its own token.
      if (taken === null && (await redis.get(key)) !== token) return { kind: "held" };
      return { kind: "acquired", release: keep(key, token) };
    },

    async isHeld(name) {
      return (await explainRedis(`look at ${name}`, redis.exists(keyOf(name)))) === 1;
    },

    async close() {
      await Promise.all(Array.from(releases, (release) => release()));
    },
  };
}
