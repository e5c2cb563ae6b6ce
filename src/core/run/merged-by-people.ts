import type { Run, StageRecord } from "./run.ts";

/** Loom offers the stage and leaves the merge to people: all of the run, or one whose proof asks for a person (T37). */
export function isMergedByPeople(run: Pick<Run, "merge">, record: Pick<StageRecord, "verdict">): boolean {
  return run.merge.mode === "review" || asksForPerson(record);
}

/** Only the latest proof counts: each decides anew. */
export function asksForPerson({ verdict }: Pick<StageRecord, "verdict">): boolean {
  return verdict?.outcome === "ask";
}

/**
 * Nothing comes of another look at the stage's pull request. A run would otherwise ask each time for all that it ever merged,
 * and GitHub answers 5,000 requests an hour. Where stages stack, one that was merged tells what was folded into it.
 */
export function isPullSettled({ merge }: Pick<Run, "merge">, { state }: Pick<StageRecord, "state">): boolean {
  return merge.mode === "auto" && (state.kind === "completed" || state.kind === "skipped");
}
