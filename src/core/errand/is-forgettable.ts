import type { Millis } from "../ids.ts";
import type { Errand } from "./errand.ts";

/** For how long what an agent was told and said is kept. */
export const KEEP_ERRANDS_MS: Millis = 30 * 24 * 3_600_000;

/**
 * It ended long ago, or somebody left it in a terminal and never came back. On GitHub each errand comes to its end, however
 * long people are given to answer.
 */
export function isForgettable(
  { outcome, origin, touchedAt }: Pick<Errand, "outcome" | "origin" | "touchedAt">,
  now: Millis,
): boolean {
  return (outcome !== null || origin === null) && now - Date.parse(touchedAt) >= KEEP_ERRANDS_MS;
}
