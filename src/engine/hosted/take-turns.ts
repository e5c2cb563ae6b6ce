import type { Millis, RunId } from "../../core/ids.ts";

/**
 * The sweep looks at GitHub for what no webhook told. One look takes two requests and more, of which an installation has 5,000
 * an hour: a hundred runs that are looked at each minute would leave none for the work itself. So they take turns, and a webhook
 * that was lost is made up for within a minute where there are few of them, and within ten where there are a hundred.
 */
export const LOOKS_AT_ONCE = 10;
const TURN_MS = 60_000;

/** Those of these runs whose turn it is. */
export function takeTurns(runs: readonly RunId[], now: Millis): ReadonlySet<RunId> {
  const groups = Math.ceil(runs.length / LOOKS_AT_ONCE);
  const turn = Math.floor(now / TURN_MS) % Math.max(1, groups);
  return new Set(runs.filter((_, place) => place % groups === turn));
}
