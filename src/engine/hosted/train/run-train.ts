import { ForgedRecord, StoreTrouble } from "../../../core/errors.ts";
import type { RunId, Sha } from "../../../core/ids.ts";
import { stageOf } from "../../../core/run/run.ts";
import type { Verdict } from "../../../core/verify/verdict.ts";
import type { Forge } from "../../../ports/forge.ts";
import { AccessLost } from "../../../ports/hub.ts";
import { assertHeld, Superseded, writeHeld } from "../../claim.ts";
import { Interrupted } from "../../interrupted.ts";
import { mergeNow, tellOutcome } from "../../merge-now.ts";
import { bringIn } from "../../merge-stage.ts";
import { giveBack } from "../../run-stage.ts";
import type { RepoEngine } from "../host.ts";
import { hearNews } from "../news.ts";
import { board, type Car, leave } from "./board.ts";
import { type Coupled, couple } from "./couple.ts";
import { callTrain, takeLine } from "./line.ts";
import { proveTrain } from "./prove-train.ts";

/**
 * Merges what is due into one branch, of all runs, in trains. Stages that are merged one by one are each proved on a target
 * that the next merge moves, so the more runs, the more often each is proved. A train predicts what the target becomes when
 * several are merged in a row, proves that once, and merges them in that order; each pull request stays as it was reviewed.
 *
 * A proof that fails says nothing about who is to blame, so the next train is half as long; what fails alone goes the long way
 * (`bringIn`), which tells its agent. So one that breaks the others costs a few proofs more, and blames nobody else.
 *
 * Nothing is merged on a target that nobody proved (F18): when anybody else moves it, the rest of the train is proved anew.
 *
 * There is one train a branch, because its job has that key. Should a second one run after all, because the first lost its
 * lock, the claims decide who may write.
 */
export async function runTrain(engine: RepoEngine, target: string, signal: AbortSignal): Promise<void> {
  const train = { runs: new Set<RunId>(), cars: new Map<string, Car>() };
  let size = LONGEST;
  let standstill = 0;
  try {
    while (!signal.aborted) {
      for (const run of await takeLine(engine, target)) train.runs.add(run);
      const boarded = await board(engine, target, train, size, signal);
      if (boarded.length === 0) return;
      const { merged, failed } = await ride(engine, boarded, standstill >= PATIENCE);
      size = failed > 0 ? Math.max(1, Math.floor(failed / 2)) : Math.min(LONGEST, size * 2);
      standstill = merged || failed > 0 ? 0 : standstill + 1;
    }
  } finally {
    for (const car of train.cars.values()) await leave(car);
    // Whatever is left of them is due still.
    for (const id of train.runs) {
      const run = await engine.book.load(id).catch(() => null);
      if (run) await callTrain(engine, run);
    }
  }
}

/** More would be proved in vain too often. */
const LONGEST = 8;
/** After so many trains in a row that nothing came of, one goes alone; that way it is found out what is the matter. */
const PATIENCE = 10;

/** `failed`: so many were proved together in vain. */
type Ride = { readonly merged: boolean; readonly failed: number };

async function ride(engine: RepoEngine, boarded: readonly Car[], isStuck: boolean): Promise<Ride> {
  const [first] = boarded;
  if (isStuck && first) return goAlone(engine, first);
  const ready = await askAll(engine, boarded);
  const [one] = ready;
  if (one === undefined) return { merged: false, failed: 0 };
  // It may be refused, and would take the proof of the others with it.
  const together = one.readiness?.kind === "unsure" ? [one] : ready.filter(isReady);
  const forge = await forgeOf(engine, one);
  const { coupled, alone } = await couple(engine, together, await forge.targetTip());
  for (const car of alone) await goAlone(engine, car);
  if (alone.length > 0 || coupled.length === 0) return { merged: alone.length > 0, failed: 0 };
  const verdicts = await provedTogether(engine, coupled);
  if (verdicts === "interrupted") return { merged: false, failed: 0 };
  if (verdicts !== null) return { merged: await mergeAll(engine, coupled, verdicts), failed: 0 };
  const [only, ...others] = coupled;
  if (only && others.length === 0) return goAlone(engine, only.car);
  return { merged: false, failed: coupled.length };
}

function isReady({ readiness }: Car): boolean {
  return readiness?.kind === "ready";
}

/** Those that can be merged, the sure ones in front. The others are told what they wait for, or go alone. */
async function askAll(engine: RepoEngine, boarded: readonly Car[]): Promise<Car[]> {
  const left: Car[] = [];
  for (const car of boarded) {
    const isKept = await settled(engine, car, async () => {
      const run = await assertHeld(engine, car.claim);
      const { commit, pr } = stageOf(run, car.claim.stage);
      const forge = await engine.forgeFor(run);
      car.readiness ??= await forge.readiness({ commit: commit ?? "", pr });
      if (car.readiness.kind !== "waiting") return;
      await tellOutcome(engine, car.claim, commit ?? "", car.readiness);
      await wake(engine, car.claim.run);
    });
    if (!isKept || car.readiness?.kind === "waiting") continue;
    if (car.readiness?.kind === "by-itself") await goAlone(engine, car);
    else left.push(car);
  }
  return left.sort((a, b) => Number(isReady(b)) - Number(isReady(a)));
}

/** As where one stage is merged at a time: moved onto the target, proved there, published, merged. */
async function goAlone(engine: RepoEngine, car: Car): Promise<Ride> {
  await settled(engine, car, () => bringIn(engine, car.claim, car.watch.signal));
  await wake(engine, car.claim.run);
  return { merged: true, failed: 0 };
}

/** null: they don't pass together. `interrupted`: one of them is not wanted any more, and was given back. */
async function provedTogether(
  engine: RepoEngine,
  coupled: readonly Coupled[],
): Promise<readonly (Verdict | null)[] | null | "interrupted"> {
  try {
    const proof = await proveTrain(engine, coupled);
    return proof.kind === "proved" ? proof.verdicts : null;
  } catch (error) {
    if (isForAll(error)) throw error;
    const gone = coupled.filter(({ car }) => car.watch.signal.aborted);
    for (const { car } of gone) await giveBack(engine, car.claim, new Interrupted(), car.watch.signal);
    if (gone.length > 0) return "interrupted";
    // Trouble of this machine, or of one of them: alone, it is told where it belongs.
    return null;
  }
}

async function mergeAll(
  engine: RepoEngine,
  coupled: readonly Coupled[],
  verdicts: readonly (Verdict | null)[],
): Promise<boolean> {
  let onto = coupled[0]?.onto ?? "";
  let hasMerged = false;
  for (const [index, one] of coupled.entries()) {
    const next = await mergeOne(engine, one, { onto, verdict: verdicts[index] ?? null, of: coupled.length });
    await wake(engine, one.car.claim.run);
    if (next === null) return hasMerged;
    hasMerged = true;
    onto = next.tip;
    if (!next.isAsProved) return true;
  }
  return true;
}

type Step = { readonly onto: Sha; readonly verdict: Verdict | null; readonly of: number };

/** Where the target is then; null when it was not merged, so that those behind it have to be proved anew. */
async function mergeOne(
  engine: RepoEngine,
  { car, commit, predicted }: Coupled,
  { onto, verdict, of }: Step,
): Promise<{ readonly tip: Sha; readonly isAsProved: boolean } | null> {
  const { claim, watch } = car;
  let next: { readonly tip: Sha; readonly isAsProved: boolean } | null = null;
  await settled(engine, car, async () => {
    if (verdict)
      await writeHeld(engine, claim, { type: "merge-proved", commit, onto, with: of - 1, verdict });
    const tree = await engine.trainWorkspace.treeOf(predicted);
    const outcome = await mergeNow(engine, claim, { commit, onto, tree }, watch.signal);
    if (outcome.kind === "moved") return;
    if (outcome.kind === "merged") next = { tip: outcome.as, isAsProved: outcome.unlike !== true };
    await tellOutcome(engine, claim, commit, outcome);
  });
  return next;
}

/** True when it came to its end; what went wrong is told where it belongs. */
async function settled(engine: RepoEngine, car: Car, work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (isForAll(error)) throw error;
    // Somebody else has it, or it was seen to be merged before that was written down here.
    if (!(error instanceof Superseded)) await giveBack(engine, car.claim, error, car.watch.signal);
    return false;
  }
}

/** What stands in the way of every stage of the repository. */
function isForAll(error: unknown): boolean {
  return error instanceof StoreTrouble || error instanceof ForgedRecord || error instanceof AccessLost;
}

async function forgeOf(engine: RepoEngine, { claim }: Car): Promise<Forge> {
  return engine.forgeFor(await engine.book.get(claim.run));
}

async function wake(engine: RepoEngine, run: RunId): Promise<void> {
  await engine.queue.enqueue({ kind: "advance", run });
  await hearNews(engine, run);
}
