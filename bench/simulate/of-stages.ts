import type { StageId } from "../../src/core/ids.ts";
import type { Run } from "../../src/core/run/run.ts";
import type { StageStep } from "../support/stage-life.ts";
import type { World } from "./costs.ts";

export function openPulls({ stages }: Run): number {
  let open = 0;
  for (const { state } of stages.values())
    if (state.kind === "executing" && state.phase === "published") open += 1;
  return open;
}

/** The step fits: nobody has done it yet. */
export function isAt(run: Run, stage: StageId, step: StageStep): boolean {
  const kind = run.stages.get(stage)?.state.kind;
  return kind === (step === "attempt-started" ? "queued" : "executing");
}

/** The same for the same stage, and spread evenly. */
export function agentTime({ agentMs }: World, run: string, stage: StageId): number {
  let hash = 2166136261;
  for (const char of `${run}/${stage}`) hash = Math.imul(hash ^ char.charCodeAt(0), 16777619) >>> 0;
  return agentMs * (0.5 + hash / 2 ** 32);
}
