import type { Sha } from "../../../core/ids.ts";
import { type Run, type StageRecord, stageOf } from "../../../core/run/run.ts";
import { proofConditions } from "../../../core/verify/proof-conditions.ts";
import type { RepoEngine } from "../host.ts";
import type { Car } from "./board.ts";

/** Where a stage comes to stand when all before it are merged. */
export type Coupled = {
  readonly car: Car;
  readonly run: Run;
  readonly record: StageRecord;
  /** What it is published as, and what was proved. */
  readonly commit: Sha;
  /** The same on top of `onto`: of this, only the tree will be the target's. */
  readonly predicted: Sha;
  readonly onto: Sha;
};

export type Train = {
  readonly coupled: readonly Coupled[];
  /** What can't be predicted on the target itself has to be looked at alone. */
  readonly alone: readonly Car[];
};

/**
 * Predicts what the target becomes when these are merged one after the other, without touching a branch. Who doesn't go
 * together with those before it, or is proved under other conditions, waits for the next train.
 */
export async function couple(engine: RepoEngine, cars: readonly Car[], tip: Sha): Promise<Train> {
  const coupled: Coupled[] = [];
  const alone: Car[] = [];
  let end = tip;
  let conditions: string | null = null;
  for (const car of await atTipFirst(engine, cars, tip)) {
    const run = await engine.book.get(car.claim.run);
    const record = stageOf(run, car.claim.stage);
    const wanted = proofConditions(run, record);
    if (conditions !== null && wanted !== conditions) continue;
    const predicted = await predict(engine, run, record, { tip, end });
    if (predicted === "alone" || (predicted === null && end === tip)) alone.push(car);
    if (predicted === "alone" || predicted === null) continue;
    coupled.push({ car, run, record, commit: record.commit ?? "", predicted, onto: end });
    conditions = wanted;
    end = predicted;
  }
  return { coupled, alone };
}

/** What stands on the target's tip already was proved there, and would have to be proved again behind any other. */
async function atTipFirst(engine: RepoEngine, cars: readonly Car[], tip: Sha): Promise<Car[]> {
  const ranked = await Promise.all(
    cars.map(async (car) => {
      const { base } = stageOf(await engine.book.get(car.claim.run), car.claim.stage);
      return { car, rank: base === tip ? 0 : 1 };
    }),
  );
  return ranked.sort((one, other) => one.rank - other.rank).map(({ car }) => car);
}

async function predict(
  engine: RepoEngine,
  run: Run,
  { commit, base, merging }: StageRecord,
  { tip, end }: { readonly tip: Sha; readonly end: Sha },
): Promise<Sha | "alone" | null> {
  // What was under way when its worker died may have happened.
  if (commit === null || base === null || merging !== null) return "alone";
  if (base === end) return commit;
  const [missing] = await (await engine.forgeFor(run)).fetch([commit, base]);
  const workspace = engine.trainWorkspace;
  // GitHub merges all that the branch holds; only what stands on the target's own history is nothing but the stage.
  if (missing !== undefined || !(await workspace.isAncestor(base, tip))) return "alone";
  const moved = await workspace.transplant(commit, end);
  if (moved.kind === "conflict") return null;
  // Nothing of it would be left: somebody brought it in another way.
  const [before, after] = [await workspace.treeOf(end), await workspace.treeOf(moved.commit)];
  return before === after ? "alone" : moved.commit;
}
