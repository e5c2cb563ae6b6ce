import type { StageId } from "../ids.ts";
import type { Plan, StagePlan } from "../plan/plan.ts";
import { planFields, stageFields } from "../plan/render-plan.ts";
import { ownValue } from "../table.ts";
import type { Run, StageRecord } from "./run.ts";

export type Amendment =
  | { readonly kind: "unchanged" }
  | {
      readonly kind: "amended";
      readonly added: readonly StageId[];
      readonly removed: readonly StageId[];
      /** By the names that people write. */
      readonly changed: readonly { readonly id: StageId; readonly fields: readonly string[] }[];
      /** Finished, and in the new plan as well. */
      readonly kept: readonly StageId[];
      /** What changed besides the stages. */
      readonly fields: readonly string[];
    }
  | { readonly kind: "refused"; readonly problems: readonly AmendProblem[] };

/** Why a run can't go on with another plan. */
export type AmendProblem =
  | { readonly kind: "over"; readonly status: "completed" | "cancelled" }
  | { readonly kind: "removed"; readonly stage: StageId; readonly standing: Standing }
  | {
      readonly kind: "changed";
      readonly stage: StageId;
      readonly standing: Standing;
      readonly fields: readonly string[];
    }
  /** The stage comes after all others, so nothing can come before it any more. */
  | {
      readonly kind: "after";
      readonly stage: StageId;
      readonly standing: Standing;
      readonly added: readonly StageId[];
    }
  | { readonly kind: "too-many"; readonly count: number; readonly limit: number };

/** What a stage is that can't be changed any more. */
export type Standing =
  | { readonly kind: "merged" | "completed" | "skipped" }
  | { readonly kind: "open"; readonly pr: number | null }
  | { readonly kind: "taken"; readonly by: string };

/**
 * What it would mean for a run to go on with another plan. What is finished stays finished: it has to be in the new
 * plan and to say there what was done. Whatever else there is may change, come and go.
 */
export function amendPlan(
  run: Run,
  next: Plan,
  { maxStages = null }: { readonly maxStages?: number | null } = {},
): Amendment {
  const over = howItEnded(run);
  if (over) return { kind: "refused", problems: [{ kind: "over", status: over }] };
  const after = new Map(next.stages.map((stage) => [stage.id, stage]));
  const added = next.stages.filter(({ id }) => !run.stages.has(id)).map(({ id }) => id);
  const removed: StageId[] = [];
  const changed: { id: StageId; fields: readonly string[] }[] = [];
  const kept: StageId[] = [];
  const problems: AmendProblem[] = [];
  for (const [id, record] of run.stages) {
    const standing = standingOf(record);
    const stage = after.get(id);
    if (!stage) {
      removed.push(id);
      if (standing) problems.push({ kind: "removed", stage: id, standing });
      continue;
    }
    const fields = changedFields(record.plan, stage);
    if (fields.length > 0) changed.push({ id, fields });
    if (!standing) continue;
    kept.push(id);
    const essential = fields.filter((field) => field !== NAME);
    if (essential.length > 0) problems.push({ kind: "changed", stage: id, standing, fields: essential });
    if (stage.synthesis && added.length > 0) problems.push({ kind: "after", stage: id, standing, added });
  }
  if (maxStages !== null && next.stages.length > maxStages && added.length > 0)
    problems.push({ kind: "too-many", count: next.stages.length, limit: maxStages });
  if (problems.length > 0) return { kind: "refused", problems };
  const fields = changedPlanFields(run.plan, next);
  return added.length + removed.length + changed.length + fields.length === 0
    ? { kind: "unchanged" }
    : { kind: "amended", added, removed, changed, kept, fields };
}

/** null: its plan may still change. */
export function howItEnded({ status, cancelledBy }: Run): "completed" | "cancelled" | null {
  if (status === "completed" || status === "cancelled") return status;
  return cancelledBy === null ? null : "cancelled";
}

/** A name is for people only; a stage that got another one is the same stage. */
const NAME = "name";

/** Whether an agent or a check would see a difference. */
export function saysTheSame(before: StagePlan, after: StagePlan): boolean {
  return changedFields(before, after).every((field) => field === NAME);
}

/** In which order dependencies are written down, and on which line a stage begins, says nothing. */
export function changedFields(before: StagePlan, after: StagePlan): string[] {
  const written = (stage: StagePlan): Record<string, unknown> =>
    stageFields({ ...stage, dependencies: stage.dependencies.toSorted() });
  return differing(written(before), written(after));
}

export function changedPlanFields(before: Plan, after: Plan): string[] {
  const fields = differing(planFields(before), planFields(after));
  return before.name === after.name ? fields : [NAME, ...fields];
}

function differing(before: Record<string, unknown>, after: Record<string, unknown>): string[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys.filter((key) => JSON.stringify(ownValue(before, key)) !== JSON.stringify(ownValue(after, key)));
}

/** Why a stage may not be changed any more; null when it may. */
export function standingOf(record: StageRecord): Standing | null {
  const { state, takenBy, publishedAt, pr } = record;
  switch (state.kind) {
    case "completed":
      return { kind: state.merged === null ? "completed" : "merged" };
    case "skipped":
      return { kind: "skipped" };
    case "executing":
    case "needs-handoff":
    case "queued":
    case "completed-with-failures":
      // It stays offered while it is proved again on a new base, and while nobody holds it.
      if (publishedAt !== null) return { kind: "open", pr };
      return takenBy === null ? null : { kind: "taken", by: takenBy };
    case "blocked":
      return null;
    default:
      return takenBy === null ? null : { kind: "taken", by: takenBy };
  }
}
