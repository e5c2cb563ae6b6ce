import type { Refusal } from "../core/policy/boundaries.ts";

/**
 * Tells the operator of attacks: each refusal at a boundary, in one form. It never throws and never waits, and whoever refuses
 * tells each time, however often: the log keeps floods short.
 */
export interface Audit {
  refused(refusal: Refusal): void;
}
