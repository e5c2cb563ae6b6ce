import { type ErrandEvent, errandEventSchema } from "../../core/errand/errand-events.ts";
import { ERRAND_WORDS } from "../../core/report/ledger-words.ts";
import type { LedgerStore } from "../../ports/ledger-store.ts";
import { createEmbeddedLedgerStore } from "./ledger-store.ts";

export function createEmbeddedErrandStore({ root }: { root: string }): LedgerStore<ErrandEvent> {
  return createEmbeddedLedgerStore({ root, schema: errandEventSchema, words: ERRAND_WORDS });
}
