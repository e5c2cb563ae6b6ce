import type { Millis } from "../ids.ts";

/** What one run left besides its ledger. */
export type Kept = {
  readonly id: string;
  readonly bytes: number;
  /** null: somebody may still need it. */
  readonly endedAt: Millis | null;
};

export type KeepLimits = { readonly ms: Millis; readonly bytes: number };

/** Whoever was asleep when it ended has yet to read it, however much it is. */
const GRACE_MS = 24 * 3_600_000;

/** What is older than it may be, then the oldest until the rest fits. What is not over counts, and stays. */
export function chooseSwept(kept: readonly Kept[], limits: KeepLimits, now: Millis): string[] {
  const over = kept
    .filter((one): one is Kept & { endedAt: Millis } => one.endedAt !== null && now - one.endedAt > GRACE_MS)
    .sort((a, b) => a.endedAt - b.endedAt);
  let bytes = kept.reduce((sum, one) => sum + one.bytes, 0);
  const chosen: string[] = [];
  for (const one of over) {
    if (now - one.endedAt <= limits.ms && bytes <= limits.bytes) break;
    chosen.push(one.id);
    bytes -= one.bytes;
  }
  return chosen;
}
