import type { KeepLimits } from "./choose-swept.ts";
import { DEFAULTS } from "./defaults.ts";
import type { Environment } from "./harness-settings.ts";
import { createVariables, type Variables } from "./settings/variables.ts";

const DAY_MS = 24 * 3_600_000;
const MEGABYTE = 1024 * 1024;

/** Beyond these nothing is ever swept, which is what somebody means who writes so much. */
const MOST = { days: 36_500, megabytes: 100_000_000 } as const;

/** How long, and how much of, what ended runs left is kept on a disk. */
export function readKeepLimits(env: Environment): KeepLimits & Pick<Variables, "warnings" | "used"> {
  const variables = createVariables(env);
  return {
    ms: variables.wholeNumber("LOOM_KEEP_DAYS", DEFAULTS.keep.days, MOST.days) * DAY_MS,
    bytes: variables.wholeNumber("LOOM_KEEP_MB", DEFAULTS.keep.megabytes, MOST.megabytes) * MEGABYTE,
    warnings: variables.warnings,
    used: variables.used,
  };
}
