import type { RunId, StageId } from "../../../core/ids.ts";
import { dueMerges } from "../../../core/run/decide.ts";
import { isMergedByPeople } from "../../../core/run/merged-by-people.ts";
import { type Run, type StageRecord, stageOf } from "../../../core/run/run.ts";
import type { Readiness } from "../../../ports/forge.ts";
import { type Claim, holds, type Lease, watchClaim } from "../../attempt/claim.ts";
import { claimMerge } from "../../merge/merge-stage.ts";
import type { Watch } from "../../run/watch-wanted.ts";
import type { RepoEngine } from "../host.ts";
import { unlessForged } from "../recover/unless-forged.ts";

/** A stage that is due, held by a claim until it is merged or turns out not to be ready for that. */
export type Candidate = {
  readonly claim: Claim;
  readonly lease: Lease;
  readonly watch: Watch;
  /** null until it was asked. Trains that fail are followed by shorter ones at once, and a merge finds out what has changed. */
  readiness: Readiness | null;
};

/** On GitHub, by Loom itself, and on the target alone. What people wrote is merged as it stands, not as one commit. */
export function mergesByTrain(run: Run, record: StageRecord): boolean {
  return (
    run.origin !== null &&
    !isMergedByPeople(run, record) &&
    record.pr !== null &&
    record.stack.length === 0 &&
    record.takenBy === null &&
    record.foldedInto === null
  );
}

type Due = { readonly run: RunId; readonly stage: StageId; readonly since: string };

/**
 * The next stages to be merged, at most `size`, those that were published first in front. Runs without any leave `runs`; what
 * is claimed already stays so.
 */
export async function claimDue(
  engine: RepoEngine,
  target: string,
  train: { readonly runs: Set<RunId>; readonly claimed: Map<string, Candidate> },
  size: number,
  signal: AbortSignal,
): Promise<Candidate[]> {
  const due: Due[] = [];
  for (const id of train.runs) {
    const run = await unlessForged(engine.runs.load(id));
    const stages = run?.target === target ? dueIn(engine, run) : [];
    if (run && stages.length > 0)
      for (const stage of stages)
        due.push({ run: id, stage, since: stageOf(run, stage).firstPublishedAt ?? "" });
    else train.runs.delete(id);
  }
  due.sort((one, other) => (one.since < other.since ? -1 : one.since > other.since ? 1 : 0));
  const next: Candidate[] = [];
  for (const one of due) {
    if (next.length >= size) break;
    const candidate = await claim(engine, one, train.claimed, signal);
    if (candidate) next.push(candidate);
  }
  return next;
}

function dueIn(engine: RepoEngine, run: Run): StageId[] {
  return dueMerges(run, engine.now()).filter((stage) => mergesByTrain(run, stageOf(run, stage)));
}

async function claim(
  engine: RepoEngine,
  { run: id, stage }: Due,
  claimed: Map<string, Candidate>,
  signal: AbortSignal,
): Promise<Candidate | null> {
  const key = `${id}/${stage}`;
  const known = claimed.get(key);
  if (known) {
    if (holds(await engine.runs.get(id), known.claim)) return known;
    await release(known);
    claimed.delete(key);
  }
  const held = await claimMerge(engine, { run: id, stage }, (run) => dueIn(engine, run).includes(stage));
  if (!held) return null;
  const candidate: Candidate = { ...held, watch: watchClaim(engine, held.claim, signal), readiness: null };
  claimed.set(key, candidate);
  return candidate;
}

export async function release({ watch, lease }: Candidate): Promise<void> {
  watch.close();
  await lease.release();
}
