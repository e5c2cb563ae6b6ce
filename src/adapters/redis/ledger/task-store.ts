import type { Redis } from "ioredis";
import * as z from "zod";
import { TASK_WORDS } from "../../../core/report/audit/ledger-words.ts";
import { type TaskEvent, taskEventSchema } from "../../../core/task/task-events.ts";
import type { LedgerStore } from "../../../ports/ledger-store.ts";
import { createRedisLedgerStore } from "./ledger-store.ts";

export type TaskStoreOptions = { readonly redis: Redis; readonly scope: string };

/** Streams `loom:{<scope>/<task>}:task-events`, and the index `loom:{<scope>}:tasks`. */
export function createRedisTaskStore({ redis, scope }: TaskStoreOptions): LedgerStore<TaskEvent> {
  return createRedisLedgerStore({ redis, scope, schema: taskEventSchema, words: TASK_WORDS, keys: KEYS });
}

/** The same for whatever an event is kept as. */
export function createRawRedisTaskStore({ redis, scope }: TaskStoreOptions): LedgerStore<unknown> {
  return createRedisLedgerStore({ redis, scope, schema: z.unknown(), words: TASK_WORDS, keys: KEYS });
}

const KEYS = { index: "tasks", stream: "task-events" };
