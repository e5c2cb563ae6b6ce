import { join } from "node:path";
import * as z from "zod";
import { createEmbeddedInboxOf } from "../adapters/embedded/inbox.ts";
import { createEmbeddedJobQueue } from "../adapters/embedded/job-queue.ts";
import { createEmbeddedLeases } from "../adapters/embedded/leases.ts";
import { createEmbeddedShelf } from "../adapters/embedded/shelf.ts";
import { assertRedisKeeps } from "../adapters/redis/assert-redis-keeps.ts";
import { connectRedis, stopReconnecting } from "../adapters/redis/connect-redis.ts";
import { createRawRedisErrandStore } from "../adapters/redis/errand-store.ts";
import { createRedisInboxOf } from "../adapters/redis/inbox.ts";
import { createRedisIntake } from "../adapters/redis/intake.ts";
import { createRedisJobQueue } from "../adapters/redis/job-queue.ts";
import { createRedisLeases } from "../adapters/redis/leases.ts";
import { createRawRedisRunStore } from "../adapters/redis/run-store.ts";
import { createRedisShelf } from "../adapters/redis/shelf.ts";
import type { ErrandEvent } from "../core/errand/errand-events.ts";
import type { RepoId } from "../core/ids.ts";
import { keepAndAnnounce } from "../engine/hosted/keep-and-announce.ts";
import type { Audit } from "../ports/audit.ts";
import type { Inbox, Intake } from "../ports/inbox.ts";
import type { JobQueue } from "../ports/job-queue.ts";
import type { Leases } from "../ports/leases.ts";
import type { LedgerStore, RunStore } from "../ports/ledger-store.ts";
import type { Shelf } from "../ports/shelf.ts";
import { rawFiles, type Seals } from "./seals.ts";

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
  readonly intake: Intake;
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
  readonly seals: Seals;
  /** For so long a process that is not heard of keeps its jobs and its leases. */
  readonly patienceMs: number;
  readonly warn: (message: string) => void;
  readonly audit: Audit;
};

/** Long enough for a Redis that is restarted, and well within what a supervisor allows between SIGTERM and SIGKILL. */
const LEAVE_WITHIN_MS = 4000;
/** Of all repositories. */
const INBOX = "inbox";

export async function openHostedStore(options: StoreOptions): Promise<HostedStore> {
  return options.redisUrl === null ? openEmbedded(options) : openRedis(options.redisUrl, options);
}

function openEmbedded({ data, seals }: StoreOptions): HostedStore {
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

async function openRedis(
  url: string,
  { warn, patienceMs, seals, audit }: StoreOptions,
): Promise<HostedStore> {
  const worker = await connectRedis(url, { role: "worker", onWarning: warn });
  // A connection that stays open would keep a process alive that has nothing left to do but to say why it ends.
  const orDisconnect = <T>(step: Promise<T>): Promise<T> =>
    step.catch((error: unknown) => {
      worker.disconnect();
      throw error;
    });
  await orDisconnect(assertRedisKeeps(worker));
  const producer = await orDisconnect(connectRedis(url, { role: "producer", onWarning: warn }));
  const queue = createRedisJobQueue({
    ...{ redis: worker, inbox: INBOX, lockMs: patienceMs, onWarning: warn },
    onDropped: (what) => audit.refused({ wall: "job", rule: "malformed", what }),
  });
  const leases = createRedisLeases({ redis: worker, ttlMs: patienceMs });
  const stores: { close(): Promise<void> }[] = [];
  return {
    kind: "redis",
    inbox: seals.inbox(createRedisInboxOf({ redis: worker, name: INBOX, schema: z.unknown() })),
    queue,
    leases,
    shelf: seals.shelf(createRedisShelf({ redis: worker, scope: "all" }), "all"),
    runs(repo) {
      const store = seals.runs(createRawRedisRunStore({ redis: worker, scope: repo }), repo);
      stores.push(store);
      return store;
    },
    errands(repo) {
      const store = seals.errands(createRawRedisErrandStore({ redis: worker, scope: repo }), repo);
      stores.push(store);
      return store;
    },
    shelfOf: (repo) => seals.shelf(createRedisShelf({ redis: worker, scope: repo }), repo),
    intake: seals.intake(createRedisIntake({ redis: producer, inbox: INBOX })),
    async ping() {
      await producer.ping();
    },
    leave() {
      for (const redis of [producer, worker]) stopReconnecting(redis, LEAVE_WITHIN_MS);
    },
    async close() {
      for (const store of stores) await store.close();
      await leases.close();
      for (const redis of [producer, worker]) redis.disconnect();
    },
  };
}
