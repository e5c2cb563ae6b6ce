import type { RunId, StageId } from "../../core/ids.ts";
import { decide } from "../../core/run/decide.ts";
import type { RunEvent } from "../../core/run/events.ts";
import { lacksApproval, type Run, type StageRecord, stageOf } from "../../core/run/run.ts";
import type { Engine } from "../engine.ts";
import { timestamp } from "../engine.ts";
import { type Watch, watchWanted } from "../run/watch-wanted.ts";
import { Interrupted } from "./interrupted.ts";

/** The right to write about one attempt. Whoever lost it may not push, merge or append (DESIGN 2.5). */
export type Claim = {
  readonly run: RunId;
  readonly stage: StageId;
  readonly attempt: number;
  readonly token: string;
};

/** Thrown where the claim turns out to be another's: the work is dropped without a word. */
export class Superseded extends Error {
  constructor(claim: Claim) {
    super(`attempt ${claim.attempt} of ${claim.stage} is no longer ours`);
    this.name = "Superseded";
  }
}

export type Lease = { release(): Promise<void> };

/** Shows others that the holder of the claim is alive. Not getting it changes nothing: the ledger decides who may write. */
export async function holdLease(
  { leases }: Pick<Engine, "leases">,
  { token }: Pick<Claim, "token">,
): Promise<Lease> {
  const result = await leases.acquire(leaseName(token));
  return result.kind === "acquired" ? result : { release: async () => {} };
}

export function leaseName(token: string): string {
  return `claim/${token}`;
}

export function holds(run: Run, claim: Claim): boolean {
  // A plan that was changed may have dropped the stage; then nobody holds it.
  const state = run.stages.get(claim.stage)?.state;
  return state?.kind === "executing" && state.attempt === claim.attempt && state.claim === claim.token;
}

export async function assertHeld(engine: Engine, claim: Claim): Promise<Run> {
  const run = await engine.runs.get(claim.run);
  if (!holds(run, claim)) throw new Superseded(claim);
  return run;
}

type DistributiveOmit<T, K extends keyof never> = T extends unknown ? Omit<T, K> : never;
/** What an attempt can say about itself; stage, attempt and time are filled in. */
export type AttemptEvent = DistributiveOmit<
  Extract<RunEvent, { stage: string; attempt: number }>,
  "at" | "stage" | "attempt"
>;

export async function writeHeld(
  engine: Engine,
  claim: Claim,
  ...events: AttemptEvent[]
): Promise<StageRecord> {
  const run = await engine.runs.write(claim.run, (current) =>
    holds(current, claim) ? filledIn(engine, claim, events) : null,
  );
  if (!run) throw new Superseded(claim);
  return stageOf(run, claim.stage);
}

/** The same while this holds of the run; null when it no longer does. */
export async function writeHeldIf(
  engine: Engine,
  claim: Claim,
  condition: (run: Run) => boolean,
  ...events: AttemptEvent[]
): Promise<StageRecord | null> {
  let isHeld = false;
  const run = await engine.runs.write(claim.run, (current) => {
    isHeld = holds(current, claim);
    return isHeld && condition(current) ? filledIn(engine, claim, events) : null;
  });
  if (run) return stageOf(run, claim.stage);
  if (!isHeld) throw new Superseded(claim);
  return null;
}

/** Announces what can't be taken back. The ledger decides the race with a cancel: behind one, nothing is announced. */
export async function writeIntent(engine: Engine, claim: Claim, event: AttemptEvent): Promise<void> {
  const run = await engine.runs.write(claim.run, (current) =>
    isWanted(engine, current, claim) ? filledIn(engine, claim, [event]) : null,
  );
  if (run) return;
  await assertHeld(engine, claim);
  throw new Interrupted();
}

function filledIn(engine: Engine, claim: Claim, events: readonly AttemptEvent[]): RunEvent[] {
  const at = timestamp(engine);
  return events.map((event) => ({ ...event, at, stage: claim.stage, attempt: claim.attempt }) as RunEvent);
}

/** The claim is ours, and neither a cancel nor the end of a critical stage has made its work pointless. */
function isWanted(engine: Engine, run: Run, claim: Claim): boolean {
  if (!holds(run, claim) || lacksApproval(run)) return false;
  if (run.cancelledBy === null && !anyCriticalBlocked(run)) return true;
  return !decide(run, engine.now()).some((action) => action.kind === "stop" && action.stage === claim.stage);
}

/**
 * Aborts when the attempt is no longer wanted: the run was cancelled, a critical stage failed, or somebody else holds
 * the claim.
 */
export function watchClaim(engine: Engine, claim: Claim, outer: AbortSignal): Watch {
  return watchWanted({
    watch: (onChange) => engine.store.watch(claim.run, onChange),
    async isWanted() {
      const run = await engine.runs.load(claim.run);
      return run !== null && isWanted(engine, run, claim);
    },
    outer,
    what: "attempt",
  });
}

/** Spares the common case, where a sibling merely made progress, a look at the whole graph. */
function anyCriticalBlocked(run: Run): boolean {
  for (const { plan, state } of run.stages.values())
    if (plan.critical && state.kind === "blocked") return true;
  return false;
}
