import { RUN_WORDS } from "../../core/report/audit/ledger-words.ts";
import { runEventSchema } from "../../core/run/events.ts";
import type { RunStore } from "../../ports/ledger-store.ts";
import { createEmbeddedLedgerStore } from "./ledger-store.ts";

export function createEmbeddedRunStore({ root }: { root: string }): RunStore {
  return createEmbeddedLedgerStore({ root, schema: runEventSchema, words: RUN_WORDS });
}
