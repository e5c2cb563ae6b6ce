import type { RunId, StageId } from "../../../core/ids.ts";
import { dueMerges } from "../../../core/run/decide.ts";
import { isMergedByPeople } from "../../../core/run/merged-by-people.ts";
import { type Run, type StageRecord, stageOf } from "../../../core/run/run.ts";
import type { Readiness } from "../../../ports/forge.ts";
import { type Claim, holds, type Lease, watchClaim } from "../../claim.ts";
import { claimMerge } from "../../merge-stage.ts";
import type { Watch } from "../../watch-wanted.ts";
import type { RepoEngine } from "../host.ts";
import { unlessForged } from "../unless-forged.ts";

/** A stage on the train: held by a claim until it is merged or turns out not to be ready for it. */
export type Car = {
  readonly claim: Claim;
  readonly lease: Lease;
  readonly watch: Watch;
  /** Asked once a train; what has changed since is found out when it is merged. */
  readiness: Readiness | null;
};

/** On GitHub, by Loom itself, and on the target alone. What people wrote is merged as it stands, not as one commit. */
export function ridesTrain(run: Run, record: StageRecord): boolean {
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
 * is on the train already keeps its claim.
 */
export async function board(
  engine: RepoEngine,
  target: string,
  train: { readonly runs: Set<RunId>; readonly cars: Map<string, Car> },
  size: number,
  signal: AbortSignal,
): Promise<Car[]> {
  const due: Due[] = [];
  for (const id of train.runs) {
    const run = await unlessForged(engine.book.load(id));
    const stages = run?.target === target ? dueIn(engine, run) : [];
    if (run && stages.length > 0)
      for (const stage of stages)
        due.push({ run: id, stage, since: stageOf(run, stage).firstPublishedAt ?? "" });
    else train.runs.delete(id);
  }
  due.sort((one, other) => (one.since < other.since ? -1 : one.since > other.since ? 1 : 0));
  const boarded: Car[] = [];
  for (const one of due) {
    if (boarded.length >= size) break;
    const car = await claim(engine, one, train.cars, signal);
    if (car) boarded.push(car);
  }
  return boarded;
}

function dueIn(engine: RepoEngine, run: Run): StageId[] {
  return dueMerges(run, engine.now()).filter((stage) => ridesTrain(run, stageOf(run, stage)));
}

async function claim(
  engine: RepoEngine,
  { run: id, stage }: Due,
  cars: Map<string, Car>,
  signal: AbortSignal,
): Promise<Car | null> {
  const key = `${id}/${stage}`;
  const known = cars.get(key);
  if (known) {
    if (holds(await engine.book.get(id), known.claim)) return known;
    await leave(known);
    cars.delete(key);
  }
  const claimed = await claimMerge(engine, { run: id, stage }, (run) => dueIn(engine, run).includes(stage));
  if (!claimed) return null;
  const car: Car = { ...claimed, watch: watchClaim(engine, claimed.claim, signal), readiness: null };
  cars.set(key, car);
  return car;
}

export async function leave({ watch, lease }: Car): Promise<void> {
  watch.close();
  await lease.release();
}
