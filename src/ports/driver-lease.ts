import type { RunId, Timestamp } from "../core/ids.ts";

/** One process drives a run at a time. The lease of a process that died is free at once. */
export interface DriverLease {
  acquire(run: RunId): Promise<LeaseOutcome>;
  /** Who drives the run now, or null. */
  holder(run: RunId): Promise<LeaseHolder | null>;
}

export type LeaseHolder = { readonly pid: number; readonly since: Timestamp };
export type LeaseOutcome =
  | { readonly kind: "acquired"; release(): Promise<void> }
  | ({ readonly kind: "held" } & LeaseHolder);
