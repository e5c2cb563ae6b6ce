import type { RunId } from "../../core/ids.ts";
import { RUN_WORDS } from "../../core/report/audit/ledger-words.ts";
import { ledgerFolder } from "./ledger-folder.ts";

/** Where everything of a run is kept. */
export function runFolder(root: string, run: RunId): string {
  return ledgerFolder(root, run, RUN_WORDS);
}
