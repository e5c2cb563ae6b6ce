import { DEFAULTS } from "../config/defaults.ts";
import type { RunSettings } from "../config/run-settings.ts";

/** Planning may take several sessions, each with the ceiling of one. */
const SESSIONS = 4;

/** What all sessions of a planner together may take. */
export function planningSecs({ planTimeoutSecs }: Pick<RunSettings, "planTimeoutSecs">): number {
  return SESSIONS * (planTimeoutSecs ?? DEFAULTS.planTimeoutSecs);
}
