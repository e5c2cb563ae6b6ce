import type { Run, StageRecord } from "./run.ts";

/** Loom offers the stage and leaves the merge to people: all of the run, or one whose proof asks for a person (T37). */
export function isMergedByPeople(run: Pick<Run, "merge">, record: Pick<StageRecord, "verdict">): boolean {
  return run.merge.mode === "review" || asksForPerson(record);
}

/** Only the latest proof counts: each decides anew. */
export function asksForPerson({ verdict }: Pick<StageRecord, "verdict">): boolean {
  return verdict?.outcome === "ask";
}
