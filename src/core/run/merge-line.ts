import type { Sha, StageId } from "../ids.ts";
import { asksForPerson } from "./merged-by-people.ts";
import type { Run, StageRecord } from "./run.ts";

/**
 * Stages that finish side by side would each be proved on a target that the one before is just about to move, and then once
 * more. So they stand in line: each is put on the one before it while that one is still being proved, and proved on what the
 * target is going to be. When all goes well the target becomes just that, and one proof each is enough.
 *
 * Nothing is taken for proved that was not: a stage is merged only when the target has become what it was proved on. When
 * one of the line fails, or anybody else moves the target, those behind it are moved and proved again, as if there had been no line.
 * That whoever fails on top of unmerged work is not blamed for it is up to the engine (`leave-line.ts`).
 *
 * Only on one machine: a pull request would show its readers the changes of all that stand before it.
 */
export function hasLine(run: Pick<Run, "merge" | "origin">): boolean {
  return run.merge.mode !== "review" && run.origin === null;
}

type InLine = StageRecord & { readonly base: Sha; readonly commit: Sha };

function isInLine(record: StageRecord): record is InLine {
  const { state, base, commit, waiting, stack } = record;
  if (state.kind !== "executing" || state.phase === "working" || base === null || commit === null)
    return false;
  // What waits for a person, or for another time, keeps nobody else waiting.
  return waiting === null && stack.length === 0 && !asksForPerson(record);
}

/** What the target will be when all who stand in line before the stage have been merged. */
export function endOfLine(run: Run, stage: StageId): Sha {
  if (!hasLine(run)) return run.tip;
  const next = new Map<Sha, Sha>();
  for (const [id, record] of run.stages)
    if (id !== stage && isInLine(record)) next.set(record.base, record.commit);
  let end = run.tip;
  for (let after = next.get(end); after !== undefined; after = next.get(end)) {
    next.delete(end);
    end = after;
  }
  return end;
}

/** The commits that others may stand on before they are merged. */
export function commitsInLine(run: Run): ReadonlySet<Sha> {
  const commits = new Set<Sha>();
  if (!hasLine(run)) return commits;
  for (const record of run.stages.values()) if (isInLine(record)) commits.add(record.commit);
  // Where the target stands, nobody has to wait for it.
  commits.delete(run.tip);
  return commits;
}
