import { type Reply, readReply } from "../../../core/report/github/run/shelved.ts";
import type { RepoEngine } from "../host.ts";

/** Longer than anything that was said may take to get here; see `isTooOld`. */
const REMEMBER_MS = 8 * 24 * 3_600_000;

/** What was done for an earlier try of the same is not done again: its outcome is remembered. */
export async function replyOnce<T extends Reply | null>(
  { cache }: Pick<RepoEngine, "cache">,
  key: string,
  work: () => Promise<T>,
): Promise<T | Reply> {
  const known = readReply(await cache.get(key));
  if (known) return known;
  const reply = await work();
  if (!reply) return reply;
  await cache.set(key, JSON.stringify(reply), { ttlMs: REMEMBER_MS });
  return reply;
}
