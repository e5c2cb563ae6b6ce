import type { ErrandEvent } from "../../core/errand/errand-events.ts";
import type { LedgerStore } from "../../ports/ledger-store.ts";
import type { RunFiles } from "../../ports/run-files.ts";
import type { Engine } from "../engine.ts";
import type { ErrandBook } from "./errand-book.ts";

/** What errands need besides what runs do. */
export type ErrandEngine = Engine & {
  readonly errands: ErrandBook;
  readonly errandStore: LedgerStore<ErrandEvent>;
  /** Logs and signals of errands, apart from those of runs. */
  readonly errandFiles: RunFiles;
};
