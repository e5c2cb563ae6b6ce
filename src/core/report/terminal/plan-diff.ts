import type { StageId } from "../../ids.ts";
import type { Plan } from "../../plan/plan.ts";
import { planFields, renderPlan, stageFields } from "../../plan/render-plan.ts";
import { changedFields, changedPlanFields } from "../../run/amend-plan.ts";
import { ownValue } from "../../table.ts";
import { textDiff } from "../../text/text-diff.ts";

/** One field before and after, as one line each; null: it said nothing. */
export type FieldChange = {
  readonly field: string;
  readonly before: string | null;
  readonly after: string | null;
};

export type PlanDiff = {
  readonly added: readonly { readonly id: StageId; readonly name: string }[];
  readonly removed: readonly { readonly id: StageId; readonly name: string }[];
  readonly changed: readonly { readonly id: StageId; readonly fields: readonly FieldChange[] }[];
  /** What is said besides the stages. */
  readonly plan: readonly FieldChange[];
  /** Line by line, of both plans as Loom writes them: how they were written makes no difference. */
  readonly text: string;
};

export function planDiff(before: Plan, after: Plan): PlanDiff {
  const was = new Map(before.stages.map((stage) => [stage.id, stage]));
  const is = new Map(after.stages.map((stage) => [stage.id, stage]));
  const named = ({ id, name }: { id: StageId; name: string }) => ({ id, name });
  return {
    added: after.stages.filter(({ id }) => !was.has(id)).map(named),
    removed: before.stages.filter(({ id }) => !is.has(id)).map(named),
    changed: after.stages.flatMap((stage) => {
      const old = was.get(stage.id);
      const fields = old ? changedFields(old, stage) : [];
      return old && fields.length > 0
        ? [{ id: stage.id, fields: changesOf(fields, stageFields(old), stageFields(stage)) }]
        : [];
    }),
    plan: changesOf(
      changedPlanFields(before, after),
      { name: before.name, ...planFields(before) },
      { name: after.name, ...planFields(after) },
    ),
    text: textDiff(renderPlan(before), renderPlan(after)),
  };
}

export function isEmptyDiff({ added, removed, changed, plan }: PlanDiff): boolean {
  return added.length + removed.length + changed.length + plan.length === 0;
}

function changesOf(
  fields: readonly string[],
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): FieldChange[] {
  return fields.map((field) => ({
    field,
    before: inShort(ownValue(before, field)),
    after: inShort(ownValue(after, field)),
  }));
}

function inShort(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (Array.isArray(value))
    return value.length === 0 ? "none" : value.map((item) => inShort(item) ?? "").join(", ");
  return typeof value === "object" ? fieldsInWords(value) : String(value);
}

/** A check is known by its command; what else it says stands behind it. */
function fieldsInWords(fields: object): string {
  const { command, ...more } = { command: null, ...fields };
  const said = Object.entries(more).map(([name, value]) =>
    name === "description" ? inShort(value) : `${name}: ${inShort(value)}`,
  );
  if (typeof command !== "string") return said.join("; ");
  return said.length === 0 ? command : `${command} (${said.join("; ")})`;
}
