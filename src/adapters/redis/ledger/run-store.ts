import type { Redis } from "ioredis";
import * as z from "zod";
import { RUN_WORDS } from "../../../core/report/audit/ledger-words.ts";
import { runEventSchema } from "../../../core/run/events.ts";
import type { LedgerStore, RunStore } from "../../../ports/ledger-store.ts";
import { createRedisLedgerStore } from "./ledger-store.ts";

export type RunStoreOptions = { readonly redis: Redis; readonly scope: string };

/** Streams `loom:{<scope>/<run>}:events`, and the index `loom:{<scope>}:runs`. */
export function createRedisRunStore({ redis, scope }: RunStoreOptions): RunStore {
  return createRedisLedgerStore({ redis, scope, schema: runEventSchema, words: RUN_WORDS, keys: KEYS });
}

/** The same for whatever an event is kept as. */
export function createRawRedisRunStore({ redis, scope }: RunStoreOptions): LedgerStore<unknown> {
  return createRedisLedgerStore({ redis, scope, schema: z.unknown(), words: RUN_WORDS, keys: KEYS });
}

const KEYS = { index: "runs", stream: "events" };
