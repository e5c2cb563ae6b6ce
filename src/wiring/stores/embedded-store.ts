import { join } from "node:path";
import * as z from "zod";
import { createEmbeddedCache } from "../../adapters/embedded/cache.ts";
import { createEmbeddedInboxOf } from "../../adapters/embedded/inbox.ts";
import { createEmbeddedJobQueue } from "../../adapters/embedded/job-queue.ts";
import { createEmbeddedLeases } from "../../adapters/embedded/leases.ts";
import { keepAndAnnounce } from "../../engine/github/delivery/keep-and-announce.ts";
import type { HostedStore, StoreOptions } from "./hosted-store.ts";
import { rawFiles } from "./seals.ts";

export function openEmbeddedStore({ data, seals }: StoreOptions): HostedStore {
  const inbox = seals.inbox(createEmbeddedInboxOf({ root: join(data, "inbox"), schema: z.unknown() }));
  const queue = createEmbeddedJobQueue();
  const leases = createEmbeddedLeases();
  const stores: { close(): Promise<void> }[] = [];
  return {
    kind: "embedded",
    inbox,
    queue,
    leases,
    cache: seals.cache(createEmbeddedCache({ root: join(data, "cache") }), "all"),
    runs(repo) {
      const store = seals.runs(rawFiles(join(data, "repositories", repo, "runs"), "runs"), repo);
      stores.push(store);
      return store;
    },
    tasks(repo) {
      const store = seals.tasks(rawFiles(join(data, "repositories", repo, "tasks"), "tasks"), repo);
      stores.push(store);
      return store;
    },
    cacheOf: (repo) =>
      seals.cache(createEmbeddedCache({ root: join(data, "repositories", repo, "cache") }), repo),
    intake: keepAndAnnounce(inbox, queue),
    ping: async () => {},
    leave: () => {},
    async close() {
      for (const store of stores) await store.close();
      await leases.close();
    },
  };
}
