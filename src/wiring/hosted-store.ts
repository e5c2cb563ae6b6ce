import { join } from "node:path";
import { createEmbeddedErrandStore } from "../adapters/embedded/errand-store.ts";
import { createEmbeddedInbox } from "../adapters/embedded/inbox.ts";
import { createEmbeddedJobQueue } from "../adapters/embedded/job-queue.ts";
import { createEmbeddedLeases } from "../adapters/embedded/leases.ts";
import { createEmbeddedRunStore } from "../adapters/embedded/run-store.ts";
import { createEmbeddedShelf } from "../adapters/embedded/shelf.ts";
import { assertRedisKeeps } from "../adapters/redis/assert-redis-keeps.ts";
import { connectRedis, stopReconnecting } from "../adapters/redis/connect-redis.ts";
import { createRedisErrandStore } from "../adapters/redis/errand-store.ts";
import { createRedisInbox } from "../adapters/redis/inbox.ts";
import { createRedisJobQueue } from "../adapters/redis/job-queue.ts";
import { createRedisLeases } from "../adapters/redis/leases.ts";
import { createRedisRunStore } from "../adapters/redis/run-store.ts";
import { createRedisShelf } from "../adapters/redis/shelf.ts";
import type { ErrandEvent } from "../core/errand/errand-events.ts";
import type { RepoId } from "../core/ids.ts";
import type { Inbox } from "../ports/inbox.ts";
import type { JobQueue } from "../ports/job-queue.ts";
import type { Leases } from "../ports/leases.ts";
import type { LedgerStore, RunStore } from "../ports/ledger-store.ts";
import type { Shelf } from "../ports/shelf.ts";

/** Where a hosted Loom keeps ledgers, deliveries and jobs: in Redis, shared by many processes, or in files, for one. */
export type HostedStore = {
  readonly kind: "redis" | "embedded";
  readonly inbox: Inbox;
  readonly queue: JobQueue;
  readonly leases: Leases;
  readonly shelf: Shelf;
  readonly runs: (repo: RepoId) => RunStore;
  readonly errands: (repo: RepoId) => LedgerStore<ErrandEvent>;
  readonly shelfOf: (repo: RepoId) => Shelf;
  /** For webhooks: fails within a second or two when the store is away, instead of waiting for it. */
  readonly door: { readonly inbox: Inbox; readonly queue: JobQueue };
  /** Throws when the store can't be reached. */
  readonly ping: () => Promise<void>;
  /** Before the queue is closed: from now on a store that is away is not waited for much longer. */
  readonly leave: () => void;
  /** After the queue has been closed. */
  readonly close: () => Promise<void>;
};

export type StoreOptions = {
  readonly redisUrl: string | null;
  readonly data: string;
  /** For so long a process that is not heard of keeps its jobs and its leases. */
  readonly patienceMs: number;
  readonly warn: (message: string) => void;
};

/** Long enough for a Redis that is restarted, and well within what a supervisor allows between SIGTERM and SIGKILL. */
const LEAVE_WITHIN_MS = 4000;

export async function openHostedStore(options: StoreOptions): Promise<HostedStore> {
  return options.redisUrl === null ? openEmbedded(options) : openRedis(options.redisUrl, options);
}

function openEmbedded({ data }: StoreOptions): HostedStore {
  const inbox = createEmbeddedInbox({ root: join(data, "inbox") });
  const queue = createEmbeddedJobQueue();
  const leases = createEmbeddedLeases();
  const stores: { close(): Promise<void> }[] = [];
  return {
    kind: "embedded",
    inbox,
    queue,
    leases,
    shelf: createEmbeddedShelf({ root: join(data, "shelf") }),
    runs(repo) {
      const store = createEmbeddedRunStore({ root: join(data, "repositories", repo, "runs") });
      stores.push(store);
      return store;
    },
    errands(repo) {
      const store = createEmbeddedErrandStore({ root: join(data, "repositories", repo, "errands") });
      stores.push(store);
      return store;
    },
    shelfOf: (repo) => createEmbeddedShelf({ root: join(data, "repositories", repo, "shelf") }),
    door: { inbox, queue },
    ping: async () => {},
    leave: () => {},
    async close() {
      for (const store of stores) await store.close();
      await leases.close();
    },
  };
}

async function openRedis(url: string, { warn, patienceMs }: StoreOptions): Promise<HostedStore> {
  const worker = await connectRedis(url, { role: "worker", onWarning: warn });
  // A connection that stays open would keep a process alive that has nothing left to do but to say why it ends.
  const orDisconnect = <T>(step: Promise<T>): Promise<T> =>
    step.catch((error: unknown) => {
      worker.disconnect();
      throw error;
    });
  await orDisconnect(assertRedisKeeps(worker));
  const producer = await orDisconnect(connectRedis(url, { role: "producer", onWarning: warn }));
  const queue = createRedisJobQueue({ redis: worker, lockMs: patienceMs, onWarning: warn });
  const leases = createRedisLeases({ redis: worker, ttlMs: patienceMs });
  const stores: { close(): Promise<void> }[] = [];
  const door = {
    inbox: createRedisInbox({ redis: producer }),
    queue: createRedisJobQueue({ redis: producer, onWarning: warn }),
  };
  return {
    kind: "redis",
    inbox: createRedisInbox({ redis: worker }),
    queue,
    leases,
    shelf: createRedisShelf({ redis: worker, scope: "all" }),
    runs(repo) {
      const store = createRedisRunStore({ redis: worker, scope: repo });
      stores.push(store);
      return store;
    },
    errands(repo) {
      const store = createRedisErrandStore({ redis: worker, scope: repo });
      stores.push(store);
      return store;
    },
    shelfOf: (repo) => createRedisShelf({ redis: worker, scope: repo }),
    door,
    async ping() {
      await producer.ping();
    },
    leave() {
      for (const redis of [producer, worker]) stopReconnecting(redis, LEAVE_WITHIN_MS);
    },
    async close() {
      await door.queue.close();
      for (const store of stores) await store.close();
      await leases.close();
      for (const redis of [producer, worker]) redis.disconnect();
    },
  };
}
