/**
 * Small things worth remembering and no loss when forgotten: what a panel showed last, how far a webhook has been told,
 * an ETag. The truth is in the ledger and on the forge.
 */
export interface Cache {
  get(key: string): Promise<string | null>;
  /** `ttlMs`: may be forgotten after that time. */
  set(key: string, value: string, options?: { ttlMs?: number }): Promise<void>;
  /** All entries whose key starts with `prefix`. */
  list(prefix: string): Promise<ReadonlyMap<string, string>>;
  remove(key: string): Promise<void>;
}
