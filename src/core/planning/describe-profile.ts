import { counted } from "../text/durations.ts";
import type { ParallelProfile } from "./parallel-profile.ts";

const MAX_NAMED = 12;

/** What can run at the same time, and what can't, in three lines. */
export function describeProfile(profile: ParallelProfile): string[] {
  const { stages, batches, widest, parallel, criticalPath } = profile;
  const path = criticalPath.slice(0, MAX_NAMED).join(" → ");
  const left = criticalPath.length - MAX_NAMED;
  return [
    `Batches: ${batches.length}, the widest with ${counted(widest, "stage")}`,
    parallel > 0
      ? `In parallel: ${parallel} of ${counted(stages, "stage")} (${Math.round(profile.share * 100)}%)`
      : `In parallel: none${stages > 1 ? ", they run one after the other" : ""}`,
    `Critical path: ${counted(criticalPath.length, "stage")}, ${path}${left > 0 ? ` → … (${left} more)` : ""}`,
  ];
}
