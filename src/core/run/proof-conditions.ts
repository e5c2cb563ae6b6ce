import { criteriaFor } from "../verify/criteria.ts";
import type { Run, StageRecord } from "./run.ts";

/**
 * Under which conditions a stage is proved, as a text: stages of the same text can share a checkout, its set-up and the run of
 * the project's gate. What a sandbox allows counts, or one stage would be proved with the network of another.
 */
export function proofConditions(run: Run, { plan }: Pick<StageRecord, "plan">): string {
  const { workingDir, setup, gate } = criteriaFor(run.plan, plan, run.gate);
  const { network, repositoryNetwork, setupNetwork, limits, stateDir, strictness, gateChanges } =
    run.settings;
  return JSON.stringify([
    workingDir,
    setup,
    gate,
    run.plan.sandbox,
    plan.sandbox,
    [network, repositoryNetwork, setupNetwork, limits, stateDir, strictness, gateChanges],
    // It is held against what its own run started from.
    plan.type === "integration-verify" ? [run.id, plan.id] : null,
  ]);
}
