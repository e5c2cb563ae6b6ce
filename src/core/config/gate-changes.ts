/**
 * What becomes of a stage whose gate passes only as the stage itself defines it (LOOM_GATE_CHANGES). `ask`: it waits for a
 * person. `warn`: it goes on, and people read about it.
 */
export const GATE_CHANGES = ["ask", "warn"] as const;
export type GateChanges = (typeof GATE_CHANGES)[number];
