import { join } from "node:path";
import * as z from "zod";
import { createEmbeddedInboxOf } from "../adapters/embedded/inbox.ts";
import { createEmbeddedJobQueue } from "../adapters/embedded/job-queue.ts";
import { createEmbeddedLeases } from "../adapters/embedded/leases.ts";
import { createEmbeddedShelf } from "../adapters/embedded/shelf.ts";
import { keepAndAnnounce } from "../engine/hosted/keep-and-announce.ts";
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
    shelf: seals.shelf(createEmbeddedShelf({ root: join(data, "shelf") }), "all"),
    runs(repo) {
      const store = seals.runs(rawFiles(join(data, "repositories", repo, "runs"), "runs"), repo);
      stores.push(store);
      return store;
    },
    errands(repo) {
      const store = seals.errands(rawFiles(join(data, "repositories", repo, "errands"), "errands"), repo);
      stores.push(store);
      return store;
    },
    shelfOf: (repo) =>
      seals.shelf(createEmbeddedShelf({ root: join(data, "repositories", repo, "shelf") }), repo),
    intake: keepAndAnnounce(inbox, queue),
    ping: async () => {},
    leave: () => {},
    async close() {
      for (const store of stores) await store.close();
      await leases.close();
    },
  };
}
