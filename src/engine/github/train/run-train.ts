import { ForgedRecord, StoreTrouble } from "../../../core/errors.ts";
import type { RunId, Sha } from "../../../core/ids.ts";
import { stageOf } from "../../../core/run/run.ts";
import type { Verdict } from "../../../core/verify/verdict.ts";
import type { Forge } from "../../../ports/forge.ts";
import { AccessLost } from "../../../ports/github/access-lost.ts";
import { assertHeld, Superseded, writeHeld } from "../../attempt/claim.ts";
import { Interrupted } from "../../attempt/interrupted.ts";
import { giveBack } from "../../attempt/run-stage.ts";
import { mergeNow, tellOutcome } from "../../merge/merge-now.ts";
import { bringIn } from "../../merge/merge-stage.ts";
import type { RepoEngine } from "../host.ts";
import { observePendingChange } from "../observe/pending-changes.ts";
import { type Candidate, claimDue, release } from "./claim-due.ts";
import { dismissCalls, isGivenUp } from "./give-up-on-train.ts";
import { type PredictedMerge, predictMerges } from "./predict-merges.ts";
import { proveTrain } from "./prove-train.ts";
import { callTrain, noteCall, takeCalls } from "./train-calls.ts";

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
  if (await isGivenUp(engine, target)) return dismissCalls(engine, target);
  const train: UnderWay = { runs: new Set(), claimed: new Map() };
  let isBroken = false;
  try {
    await runTrains(engine, target, train, signal);
  } catch (error) {
    isBroken = true;
    throw error;
  } finally {
    for (const candidate of train.claimed.values()) await release(candidate);
    // Whatever is left of them is due still. What went wrong is tried again by the queue, with pauses.
    for (const id of train.runs) {
      const run = await engine.runs.load(id).catch(() => null);
      if (run) await (isBroken ? noteCall(engine, run) : callTrain(engine, run));
    }
  }
}

type UnderWay = { readonly runs: Set<RunId>; readonly claimed: Map<string, Candidate> };

async function runTrains(
  engine: RepoEngine,
  target: string,
  train: UnderWay,
  signal: AbortSignal,
): Promise<void> {
  let size = LONGEST;
  let standstill = 0;
  while (!signal.aborted) {
    for (const run of await takeCalls(engine, target)) train.runs.add(run);
    const next = await claimDue(engine, target, train, size, signal);
    if (next.length === 0) return;
    const { merged, failed } = await runOne(engine, next, standstill >= PATIENCE);
    size = failed > 0 ? Math.max(1, Math.floor(failed / 2)) : Math.min(LONGEST, size * 2);
    standstill = merged || failed > 0 ? 0 : standstill + 1;
  }
}

/** More would be proved in vain too often. */
const LONGEST = 8;
/** After so many trains in a row that nothing came of, one goes alone; that way it is found out what is the matter. */
const PATIENCE = 10;

/** `failed`: so many were proved together in vain. */
type Outcome = { readonly merged: boolean; readonly failed: number };

async function runOne(engine: RepoEngine, next: readonly Candidate[], isStuck: boolean): Promise<Outcome> {
  const [first] = next;
  if (isStuck && first) return mergeAlone(engine, first);
  const ready = await askAll(engine, next);
  const [one] = ready;
  if (one === undefined) return { merged: false, failed: 0 };
  // It may be refused, and would take the proof of the others with it.
  const together = one.readiness?.kind === "unsure" ? [one] : ready.filter(isReady);
  const forge = await forgeOf(engine, one);
  const { merges, alone } = await predictMerges(engine, together, await forge.targetTip());
  for (const candidate of alone) await mergeAlone(engine, candidate);
  if (alone.length > 0 || merges.length === 0) return { merged: alone.length > 0, failed: 0 };
  const verdicts = await provedTogether(engine, merges);
  if (verdicts === "interrupted") return { merged: false, failed: 0 };
  if (verdicts !== null) return { merged: await mergeAll(engine, merges, verdicts), failed: 0 };
  const [only, ...others] = merges;
  if (only && others.length === 0) return mergeAlone(engine, only.candidate);
  return { merged: false, failed: merges.length };
}

function isReady({ readiness }: Candidate): boolean {
  return readiness?.kind === "ready";
}

/**
 * Those that can be merged, the sure ones in front. The others are told what they wait for, or go alone. All are asked at once:
 * each is a few requests to GitHub, and everybody else waits for the train.
 */
async function askAll(engine: RepoEngine, next: readonly Candidate[]): Promise<Candidate[]> {
  // Nobody is left at work when one of them throws.
  const asked = await Promise.allSettled(next.map((candidate) => ask(engine, candidate)));
  const failed = asked.find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
  const left: Candidate[] = [];
  for (const [index, candidate] of next.entries()) {
    const answer = asked[index];
    const isKept = answer?.status === "fulfilled" && answer.value;
    if (!isKept || candidate.readiness === null) continue;
    if (candidate.readiness.kind === "by-itself") await mergeAlone(engine, candidate);
    else left.push(candidate);
  }
  return left.sort((a, b) => Number(isReady(b)) - Number(isReady(a)));
}

/** True when it is still wanted. */
function ask(engine: RepoEngine, candidate: Candidate): Promise<boolean> {
  return settled(engine, candidate, async () => {
    const run = await assertHeld(engine, candidate.claim);
    const { commit, pr } = stageOf(run, candidate.claim.stage);
    const forge = await engine.forgeFor(run);
    candidate.readiness ??= await forge.readiness({ commit: commit ?? "", pr });
    if (candidate.readiness.kind !== "waiting") return;
    await tellOutcome(engine, candidate.claim, commit ?? "", candidate.readiness);
    candidate.readiness = null;
    await wake(engine, candidate.claim.run);
  });
}

/** As where one stage is merged at a time: moved onto the target, proved there, published, merged. */
async function mergeAlone(engine: RepoEngine, candidate: Candidate): Promise<Outcome> {
  await settled(engine, candidate, () => bringIn(engine, candidate.claim, candidate.watch.signal));
  candidate.readiness = null;
  await wake(engine, candidate.claim.run);
  return { merged: true, failed: 0 };
}

/** null: they don't pass together. `interrupted`: one of them is not wanted any more, and was given back. */
async function provedTogether(
  engine: RepoEngine,
  merges: readonly PredictedMerge[],
): Promise<readonly (Verdict | null)[] | null | "interrupted"> {
  try {
    const proof = await proveTrain(engine, merges);
    return proof.kind === "proved" ? proof.verdicts : null;
  } catch (error) {
    if (isForAll(error)) throw error;
    const gone = merges.filter(({ candidate }) => candidate.watch.signal.aborted);
    for (const { candidate } of gone)
      await giveBack(engine, candidate.claim, new Interrupted(), candidate.watch.signal);
    if (gone.length > 0) return "interrupted";
    // Trouble of this machine, or of one of them: alone, it is told where it belongs.
    return null;
  }
}

async function mergeAll(
  engine: RepoEngine,
  merges: readonly PredictedMerge[],
  verdicts: readonly (Verdict | null)[],
): Promise<boolean> {
  let onto = merges[0]?.onto ?? "";
  let hasMerged = false;
  for (const [index, one] of merges.entries()) {
    const next = await mergeOne(engine, one, {
      onto,
      verdict: verdicts[index] ?? null,
      of: merges.length,
    });
    await wake(engine, one.candidate.claim.run);
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
  { candidate, commit, result }: PredictedMerge,
  { onto, verdict, of }: Step,
): Promise<{ readonly tip: Sha; readonly isAsProved: boolean } | null> {
  const { claim, watch } = candidate;
  let next: { readonly tip: Sha; readonly isAsProved: boolean } | null = null;
  await settled(engine, candidate, async () => {
    if (verdict)
      await writeHeld(engine, claim, { type: "merge-proved", commit, onto, with: of - 1, verdict });
    const tree = await engine.trainWorkspace.treeOf(result);
    const outcome = await mergeNow(engine, claim, { commit, onto, tree }, watch.signal);
    if (outcome.kind === "moved") return;
    if (outcome.kind === "merged") next = { tip: outcome.as, isAsProved: outcome.unlike !== true };
    if (outcome.kind !== "merged") candidate.readiness = null;
    await tellOutcome(engine, claim, commit, outcome);
  });
  return next;
}

/** True when it came to its end; what went wrong is told where it belongs. */
async function settled(
  engine: RepoEngine,
  candidate: Candidate,
  work: () => Promise<void>,
): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (isForAll(error)) throw error;
    // Somebody else has it, or it was seen to be merged before that was written down here.
    if (!(error instanceof Superseded))
      await giveBack(engine, candidate.claim, error, candidate.watch.signal);
    return false;
  }
}

/** What stands in the way of every stage of the repository. */
function isForAll(error: unknown): boolean {
  return error instanceof StoreTrouble || error instanceof ForgedRecord || error instanceof AccessLost;
}

async function forgeOf(engine: RepoEngine, { claim }: Candidate): Promise<Forge> {
  return engine.forgeFor(await engine.runs.get(claim.run));
}

async function wake(engine: RepoEngine, run: RunId): Promise<void> {
  await engine.queue.enqueue({ kind: "advance", run });
  await observePendingChange(engine, run);
}
