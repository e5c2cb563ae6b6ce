import type { RunId } from "../../../core/ids.ts";

/**
 * The sweep looks at GitHub for what no webhook told. One look takes two requests and more, of which an installation has 5,000
 * an hour: a hundred runs that are looked at each minute would leave none for the work itself. So they take turns, and a webhook
 * that was lost is made up for with the next sweep where there are few of them, and within ten where there are a hundred.
 *
 * Turns are counted, not read off a clock: sweeps that come every two minutes would meet every second turn for ever.
 */
export const LOOKS_AT_ONCE = 10;

/** Those of these runs whose turn it is in a sweep with so many before it. */
export function runsInTurn(runs: readonly RunId[], sweeps: number): ReadonlySet<RunId> {
  const groups = Math.ceil(runs.length / LOOKS_AT_ONCE);
  const turn = sweeps % Math.max(1, groups);
  return new Set(runs.filter((_, place) => place % groups === turn));
}
