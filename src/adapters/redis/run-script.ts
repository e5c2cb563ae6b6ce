import { createHash } from "node:crypto";
import type { Redis } from "ioredis";

/** A Lua script: one step that nobody can come between. All its keys share a hash tag, so that a Cluster runs it, too. */
export type Script = { readonly lua: string; readonly sha: string };

export function script(lua: string): Script {
  return { lua, sha: createHash("sha1").update(lua).digest("hex") };
}

/** Sends the script only when the server does not know it, as after a restart. */
export async function runScript(
  redis: Redis,
  { lua, sha }: Script,
  keys: readonly string[],
  args: readonly (string | number)[],
): Promise<unknown> {
  try {
    return await redis.evalsha(sha, keys.length, ...keys, ...args);
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith("NOSCRIPT")) throw error;
    return redis.eval(lua, keys.length, ...keys, ...args);
  }
}
