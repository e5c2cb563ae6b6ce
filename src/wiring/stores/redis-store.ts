import * as z from "zod";
import { assertRedisKeeps } from "../../adapters/redis/assert-redis-keeps.ts";
import { createRedisCache } from "../../adapters/redis/cache.ts";
import { connectRedis, stopReconnecting } from "../../adapters/redis/connect-redis.ts";
import { createRedisInboxOf } from "../../adapters/redis/inbox.ts";
import { createRedisIntake } from "../../adapters/redis/intake.ts";
import { createRedisJobQueue } from "../../adapters/redis/jobs/job-queue.ts";
import { createRedisLeases } from "../../adapters/redis/leases.ts";
import { createRawRedisRunStore } from "../../adapters/redis/ledger/run-store.ts";
import { createRawRedisTaskStore } from "../../adapters/redis/ledger/task-store.ts";
import type { HostedStore, StoreOptions } from "./hosted-store.ts";

/** Long enough for a Redis that is restarted, and well within what a supervisor allows between SIGTERM and SIGKILL. */
const LEAVE_WITHIN_MS = 4000;
/** Of all repositories. */
const INBOX = "inbox";

export async function openRedisStore(
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
    onDropped: (what) => audit.refused({ boundary: "job", rule: "malformed", what }),
  });
  const leases = createRedisLeases({ redis: worker, ttlMs: patienceMs });
  const stores: { close(): Promise<void> }[] = [];
  return {
    kind: "redis",
    inbox: seals.inbox(createRedisInboxOf({ redis: worker, name: INBOX, schema: z.unknown() })),
    queue,
    leases,
    cache: seals.cache(createRedisCache({ redis: worker, scope: "all" }), "all"),
    runs(repo) {
      const store = seals.runs(createRawRedisRunStore({ redis: worker, scope: repo }), repo);
      stores.push(store);
      return store;
    },
    tasks(repo) {
      const store = seals.tasks(createRawRedisTaskStore({ redis: worker, scope: repo }), repo);
      stores.push(store);
      return store;
    },
    cacheOf: (repo) => seals.cache(createRedisCache({ redis: worker, scope: repo }), repo),
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
