import type { Redis } from "ioredis";
import * as z from "zod";
import { type ErrandEvent, errandEventSchema } from "../../core/errand/errand-events.ts";
import { ERRAND_WORDS } from "../../core/report/ledger-words.ts";
import type { LedgerStore } from "../../ports/ledger-store.ts";
import { createRedisLedgerStore } from "./ledger-store.ts";

export type ErrandStoreOptions = { readonly redis: Redis; readonly scope: string };

/** Streams `loom:{<scope>/<errand>}:errand-events`, and the index `loom:{<scope>}:errands`. */
export function createRedisErrandStore({ redis, scope }: ErrandStoreOptions): LedgerStore<ErrandEvent> {
  return createRedisLedgerStore({ redis, scope, schema: errandEventSchema, words: ERRAND_WORDS, keys: KEYS });
}

/** The same for whatever an event is kept as. */
export function createRawRedisErrandStore({ redis, scope }: ErrandStoreOptions): LedgerStore<unknown> {
  return createRedisLedgerStore({ redis, scope, schema: z.unknown(), words: ERRAND_WORDS, keys: KEYS });
}

const KEYS = { index: "errands", stream: "errand-events" };
