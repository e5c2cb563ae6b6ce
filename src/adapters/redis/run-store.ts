import type { Redis } from "ioredis";
import { RUN_WORDS } from "../../core/report/ledger-words.ts";
import { runEventSchema } from "../../core/run/events.ts";
import type { RunStore } from "../../ports/ledger-store.ts";
import { createRedisLedgerStore } from "./ledger-store.ts";

export type RunStoreOptions = { readonly redis: Redis; readonly scope: string };

/** Streams `loom:{<scope>/<run>}:events`, and the index `loom:{<scope>}:runs`. */
export function createRedisRunStore({ redis, scope }: RunStoreOptions): RunStore {
  const keys = { index: "runs", stream: "events" };
  return createRedisLedgerStore({ redis, scope, schema: runEventSchema, words: RUN_WORDS, keys });
}
