import { TASK_WORDS } from "../../core/report/audit/ledger-words.ts";
import { type TaskEvent, taskEventSchema } from "../../core/task/task-events.ts";
import type { LedgerStore } from "../../ports/ledger-store.ts";
import { createEmbeddedLedgerStore } from "./ledger-store.ts";

export function createEmbeddedTaskStore({ root }: { root: string }): LedgerStore<TaskEvent> {
  return createEmbeddedLedgerStore({ root, schema: taskEventSchema, words: TASK_WORDS });
}
