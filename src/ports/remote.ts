import type { Sha } from "../core/ids.ts";

/**
 * A repository elsewhere, seen through the mirror of it that this machine keeps. Credentials are asked for per
 * operation, given to one process through its environment, and never written down (T13).
 */
export interface Remote {
  /** All refs below these prefixes, such as `refs/heads/loom/`, as they are there now. Nothing is fetched. */
  list(prefixes: readonly string[]): Promise<ReadonlyMap<string, Sha>>;
  /** Makes refs readable here and resolves with where they stand; a ref that does not exist is absent. */
  fetchRefs(refs: readonly string[]): Promise<ReadonlyMap<string, Sha>>;
  /** Makes commits readable here; resolves with those that can't be had. */
  fetchCommits(commits: readonly Sha[]): Promise<readonly Sha[]>;
  /** The same for where a ref is known to stand, remembered, so that the next fetch asks only for what is new. */
  fetchRefAt(ref: string, commit: Sha): Promise<void>;
  /**
   * All or nothing where the other side offers it. `expected` is where the ref has to stand now, null that it must not
   * exist; `to: null` deletes.
   */
  push(updates: readonly RefUpdate[]): Promise<PushOutcome>;
}

export type RefUpdate = { readonly ref: string; readonly to: Sha | null; readonly expected: Sha | null };

export type PushOutcome =
  | { readonly kind: "pushed" }
  /** A ref stands elsewhere; nothing of Loom's went over it. */
  | { readonly kind: "stale"; readonly refs: readonly string[] }
  /** The other side's rules forbid it; in its own words. */
  | { readonly kind: "refused"; readonly reason: string };
