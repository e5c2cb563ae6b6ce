import { createSeal } from "../../src/adapters/sealed/create-seal.ts";
import { createSealedLedgerStore } from "../../src/adapters/sealed/sealed-ledger-store.ts";
import { RUN_WORDS } from "../../src/core/report/audit/ledger-words.ts";
import { runEventSchema } from "../../src/core/run/events.ts";
import type { LedgerStore, RunStore } from "../../src/ports/ledger-store.ts";

const seal = createSeal({ current: Buffer.alloc(32, 7), previous: [] });

/** As a service keeps its ledgers: signed, whatever the store. */
export function sealedRuns(store: LedgerStore<unknown>): RunStore {
  return createSealedLedgerStore({
    store,
    schema: runEventSchema,
    seal,
    scope: "r1",
    words: RUN_WORDS,
    onForged: (refused) => {
      throw refused;
    },
  });
}
