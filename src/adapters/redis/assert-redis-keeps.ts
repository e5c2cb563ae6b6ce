import type { Redis } from "ioredis";
import { UserError } from "../../core/errors.ts";

/** Refuses a Redis that throws keys away when it is full: a ledger with holes is worse than none (F8). */
export async function assertRedisKeeps(redis: Redis): Promise<void> {
  const policy = (await policyFromInfo(redis)) ?? (await policyFromConfig(redis));
  if (policy === "noeviction") return;
  const next =
    "Set `maxmemory-policy noeviction` in redis.conf, or run `redis-cli config set maxmemory-policy noeviction`; " +
    "a managed Redis has it among its parameters. Then start Loom again.";
  if (policy === null) {
    throw new UserError("Redis does not tell whether it keeps its keys.", {
      next: `${next} Loom's user needs the right to run INFO.`,
    });
  }
  throw new UserError(`Redis may throw Loom's runs away: its maxmemory-policy is ${policy}.`, { next });
}

/** Asked first: a managed Redis often forbids CONFIG, but not INFO. */
async function policyFromInfo(redis: Redis): Promise<string | null> {
  const info = await unlessForbidden(redis.info("memory"));
  return /^maxmemory_policy:(\S+)/m.exec(info ?? "")?.[1] ?? null;
}

async function policyFromConfig(redis: Redis): Promise<string | null> {
  const answer = await unlessForbidden(redis.config("GET", "maxmemory-policy"));
  return Array.isArray(answer) && typeof answer[1] === "string" ? answer[1] : null;
}

async function unlessForbidden<T>(asking: Promise<T>): Promise<T | null> {
  return asking.catch((error: Error) => {
    if (/^(NOPERM|ERR unknown command|ERR .*not allowed)/i.test(error.message)) return null;
    throw error;
  });
}
