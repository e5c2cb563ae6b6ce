import { openEmbeddedStore } from "./embedded-store.ts";
import type { HostedStore, StoreOptions } from "./hosted-store.ts";

export async function openHostedStore(options: StoreOptions): Promise<HostedStore> {
  if (options.redisUrl === null) return openEmbeddedStore(options);
  // Loaded where there is a Redis only: its client and its queues are half of the files that the App opens.
  return (await import("./redis-store.ts")).openRedisStore(options.redisUrl, options);
}
