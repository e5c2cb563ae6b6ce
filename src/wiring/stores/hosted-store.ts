import type { RepoId } from "../../core/ids.ts";
import type { TaskEvent } from "../../core/task/task-events.ts";
import type { Audit } from "../../ports/audit.ts";
import type { Cache } from "../../ports/cache.ts";
import type { Inbox, Intake } from "../../ports/inbox.ts";
import type { JobQueue } from "../../ports/job-queue.ts";
import type { Leases } from "../../ports/leases.ts";
import type { LedgerStore, RunStore } from "../../ports/ledger-store.ts";
import type { Seals } from "./seals.ts";

/** Where a hosted Loom keeps ledgers, deliveries and jobs: in Redis, shared by many processes, or in files, for one. */
export type HostedStore = {
  readonly kind: "redis" | "embedded";
  readonly inbox: Inbox;
  readonly queue: JobQueue;
  readonly leases: Leases;
  readonly cache: Cache;
  readonly runs: (repo: RepoId) => RunStore;
  readonly tasks: (repo: RepoId) => LedgerStore<TaskEvent>;
  readonly cacheOf: (repo: RepoId) => Cache;
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
