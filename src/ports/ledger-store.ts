import type { RunEvent } from "../core/run/events.ts";

/**
 * Where ledgers live. `append` is compare-and-append: of two writers that saw the same version one wins, the other is
 * told and reloads. A batch is all or nothing, also across a kill -9.
 */
export interface LedgerStore<E> {
  /** Event n has version n, counted from 1; an unknown ledger has version 0 and no events. */
  load(id: string): Promise<Ledger<E>>;
  /** Only what came after `version`; cheap when nothing did. */
  loadSince(id: string, version: number): Promise<Ledger<E>>;
  append(id: string, expectedVersion: number, events: readonly E[]): Promise<AppendOutcome>;
  list(): Promise<string[]>;
  /** Calls back whenever the ledger may have grown, by whichever process; may call once too often. */
  watch(id: string, onChange: () => void): Unwatch;
  /** Forgets it. */
  remove(id: string): Promise<void>;
  close(): Promise<void>;
}

/** The ledgers of runs. */
export type RunStore = LedgerStore<RunEvent>;

export type Ledger<E = RunEvent> = { readonly version: number; readonly events: readonly E[] };
export type AppendOutcome =
  | { readonly kind: "appended"; readonly version: number }
  | { readonly kind: "conflict"; readonly version: number };
export type Unwatch = () => void;
