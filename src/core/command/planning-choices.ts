/** What is said of how to plan, in settings, options and commands. */
export const DEPTHS = ["quick", "standard", "deep"] as const;
export type Depth = (typeof DEPTHS)[number];
export const PLANNING_MODES = ["strict", "guided", "suggestive"] as const;
export type PlanningMode = (typeof PLANNING_MODES)[number];
export const DEGRADED = ["allow", "require-approval", "deny"] as const;
export type Degraded = (typeof DEGRADED)[number];
