import type { RunId } from "../../core/ids.ts";

/** Copies of ledgers in git, signed, where losing the store does not lose them (F7). */
export interface LedgerMirror {
  /** Keeps the ledger in git as well, signed, where losing the store does not lose it (F7). */
  mirrorLedger(run: RunId, text: string): Promise<void>;
  mirroredLedgers(): Promise<readonly { readonly run: RunId; readonly text: string }[]>;
  forgetLedger(run: RunId): Promise<void>;
}
