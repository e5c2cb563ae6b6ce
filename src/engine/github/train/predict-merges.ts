import type { Sha } from "../../../core/ids.ts";
import { proofConditions } from "../../../core/run/proof-conditions.ts";
import { type Run, type StageRecord, stageOf } from "../../../core/run/run.ts";
import { lostMerge } from "../../attempt/claim-attempt.ts";
import type { RepoEngine } from "../host.ts";
import type { Candidate } from "./claim-due.ts";

/** Where a stage comes to stand when all before it are merged. */
export type PredictedMerge = {
  readonly candidate: Candidate;
  readonly run: Run;
  readonly record: StageRecord;
  /** What it is published as, and what was proved. */
  readonly commit: Sha;
  /** The same on top of `onto`: of this, only the tree will be the target's. */
  readonly result: Sha;
  readonly onto: Sha;
};

export type Prediction = {
  readonly merges: readonly PredictedMerge[];
  /** What can't be predicted on the target itself has to be looked at alone. */
  readonly alone: readonly Candidate[];
};

/**
 * Predicts what the target becomes when these are merged one after the other, without touching a branch. Who doesn't go
 * together with those before it, or is proved under other conditions, waits for the next train.
 */
export async function predictMerges(
  engine: RepoEngine,
  candidates: readonly Candidate[],
  tip: Sha,
): Promise<Prediction> {
  const merges: PredictedMerge[] = [];
  const alone: Candidate[] = [];
  let end = tip;
  let conditions: string | null = null;
  for (const candidate of await atTipFirst(engine, candidates, tip)) {
    const run = await engine.runs.get(candidate.claim.run);
    const record = stageOf(run, candidate.claim.stage);
    const wanted = proofConditions(run, record);
    if (conditions !== null && wanted !== conditions) continue;
    const result = await predict(engine, run, record, { tip, end });
    if (result === "alone" || (result === null && end === tip)) alone.push(candidate);
    if (result === "alone" || result === null) continue;
    merges.push({ candidate, run, record, commit: record.commit ?? "", result, onto: end });
    conditions = wanted;
    end = result;
  }
  return { merges, alone };
}

/** What stands on the target's tip already was proved there, and would have to be proved again behind any other. */
async function atTipFirst(
  engine: RepoEngine,
  candidates: readonly Candidate[],
  tip: Sha,
): Promise<Candidate[]> {
  const ranked = await Promise.all(
    candidates.map(async (candidate) => {
      const { base } = stageOf(await engine.runs.get(candidate.claim.run), candidate.claim.stage);
      return { candidate, rank: base === tip ? 0 : 1 };
    }),
  );
  return ranked.sort((one, other) => one.rank - other.rank).map(({ candidate }) => candidate);
}

async function predict(
  engine: RepoEngine,
  run: Run,
  record: StageRecord,
  { tip, end }: { readonly tip: Sha; readonly end: Sha },
): Promise<Sha | "alone" | null> {
  const { commit, base, merging } = record;
  // What was under way when its worker died may have happened.
  if (commit === null || base === null || merging !== null) return "alone";
  // Somebody took back what it depends on, which a person has to be told.
  if ((await lostMerge(engine, run, record, tip)) !== null) return "alone";
  // Also where it needs no move: another worker made it, and those behind it are put on top of it here.
  const [missing] = await (await engine.forgeFor(run)).fetch([commit, base]);
  if (missing === undefined && base === end) return commit;
  const workspace = engine.trainWorkspace;
  // GitHub merges all that the branch holds; only what stands on the target's own history is nothing but the stage.
  if (missing !== undefined || !(await workspace.isAncestor(base, tip))) return "alone";
  const moved = await workspace.transplant(commit, end);
  if (moved.kind === "conflict") return null;
  // Nothing of it would be left: somebody brought it in another way.
  const [before, after] = [await workspace.treeOf(end), await workspace.treeOf(moved.commit)];
  return before === after ? "alone" : moved.commit;
}
