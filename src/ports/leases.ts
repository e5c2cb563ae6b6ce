/**
 * Who is alive and at work on what. A lease that is not renewed ends by itself, so that the work of a process that died
 * is found. Nobody's right to write depends on one: that is decided by the ledger.
 */
export interface Leases {
  /** Held by this process until released or until the process has been gone for the lease's time; renewed by itself. */
  acquire(name: string): Promise<LeaseResult>;
  isHeld(name: string): Promise<boolean>;
  close(): Promise<void>;
}

export type LeaseResult = { readonly kind: "acquired"; release(): Promise<void> } | { readonly kind: "held" };
