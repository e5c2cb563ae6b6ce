import type { RunId } from "../core/ids.ts";
import type { RunEvent } from "../core/run/events.ts";

/**
 * Where ledgers live. `append` is compare-and-append: of two writers that saw the same version one wins, the other is
 * told and reloads. A batch is all or nothing, also across a kill -9.
 */
export interface RunStore {
  /** Event n has version n, counted from 1; an unknown run has version 0 and no events. */
  load(run: RunId): Promise<Ledger>;
  /** Only what came after `version`; cheap when nothing did. */
  loadSince(run: RunId, version: number): Promise<Ledger>;
  append(run: RunId, expectedVersion: number, events: readonly RunEvent[]): Promise<AppendOutcome>;
  list(): Promise<RunId[]>;
  /** Calls back whenever the ledger may have grown, by whichever process; may call once too often. */
  watch(run: RunId, onChange: () => void): Unwatch;
  /** Forgets the run. */
  remove(run: RunId): Promise<void>;
  close(): Promise<void>;
}

export type Ledger = { readonly version: number; readonly events: readonly RunEvent[] };
export type AppendOutcome =
  | { readonly kind: "appended"; readonly version: number }
  | { readonly kind: "conflict"; readonly version: number };
export type Unwatch = () => void;
