import type { Verdict } from "../../../core/verify/verdict.ts";
import { timestamp } from "../../engine.ts";
import { checkDeps } from "../../verify/check-deps.ts";
import type { CheckDeps } from "../../verify/check-scene.ts";
import { type VerifyRequest, verifyCommit } from "../../verify/verify-commit.ts";
import { verifyTogether } from "../../verify/verify-together.ts";
import type { RepoEngine } from "../host.ts";
import type { PredictedMerge } from "./predict-merges.ts";

/** `proved`: one verdict for each; null for one that stands where it was proved already. */
export type TrainProof =
  | { readonly kind: "proved"; readonly verdicts: readonly (Verdict | null)[] }
  | { readonly kind: "failed" };

/** Proves what the target will be at the end of the train; alone, a stage is proved just as before it was published. */
export async function proveTrain(engine: RepoEngine, merges: readonly PredictedMerge[]): Promise<TrainProof> {
  const [first, ...others] = merges;
  if (first === undefined) return { kind: "proved", verdicts: [] };
  if (others.length === 0 && first.result === first.commit) return { kind: "proved", verdicts: [null] };
  // Behind the first, nothing stands where it was proved.
  const signal = AbortSignal.any(merges.map(({ candidate }) => candidate.watch.signal));
  const members = merges.map((one) => ({
    deps: depsFor(engine, one),
    request: requestFor(engine, one, signal),
  }));
  const verdicts =
    others.length === 0
      ? [await verifyCommit(depsFor(engine, first), requestFor(engine, first, signal))]
      : await verifyTogether(members, first.onto);
  return verdicts.every(({ outcome }) => outcome === "passed" || outcome === "warned")
    ? { kind: "proved", verdicts }
    : { kind: "failed" };
}

function depsFor(engine: RepoEngine, { run, candidate }: PredictedMerge): CheckDeps {
  return checkDeps({ ...engine, workspaceFor: () => engine.trainWorkspace }, run, candidate.claim);
}

function requestFor(
  engine: RepoEngine,
  { run, record, candidate, result, onto }: PredictedMerge,
  signal: AbortSignal,
): VerifyRequest {
  const { stage, attempt } = candidate.claim;
  return {
    plan: run.plan,
    stage: record.plan,
    gate: run.gate,
    commit: result,
    base: onto,
    ...(record.plan.type === "integration-verify" ? { gateBase: run.base } : {}),
    strictness: run.settings.strictness,
    gateChanges: run.settings.gateChanges,
    projectRoot: engine.projectRoot,
    marker: candidate.claim.token,
    onProgress: (text) =>
      engine.feed({ kind: "activity", run: run.id, stage, attempt, at: timestamp(engine), text }),
    signal,
  };
}
