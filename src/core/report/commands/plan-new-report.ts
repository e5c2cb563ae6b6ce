import type { Usage } from "../../budget/usage.ts";
import { planNotes } from "../../task/plan-of.ts";
import type { Task } from "../../task/task.ts";
import { plainText } from "../../text/escape-text.ts";
import { type CostView, costLine } from "../terminal/cost-line.ts";
import { paint } from "../terminal/paint.ts";
import { noteTexts, planningTexts } from "../texts/planning-texts.ts";
import { whyDegraded } from "../texts/task-cause-texts.ts";

export type PlanNewView = CostView &
  Pick<Task, "id" | "commit" | "drafts" | "degraded" | "design" | "outcome">;

/** Where the files stand, as the person named them; null: there is none. */
export type PlanFiles = { readonly plan: string; readonly design: string | null };

/** What `loom plan new` prints: the result for standard output, and what is to be known about it besides. */
export function renderPlanNew(
  view: PlanNewView,
  files: PlanFiles,
  { color }: { readonly color: boolean },
): { readonly result: string; readonly remarks: string } {
  const cost = paint(costLine(view), "quiet", color);
  if (view.outcome?.kind !== "written") {
    const { reason, next } = whyNone(view);
    return { result: "", remarks: `${planningTexts.failed(reason, next)}\n${cost}\n` };
  }
  const remarks = [
    ...(view.degraded ? [plainText(`${whyDegraded(view.degraded.cause)} ${planningTexts.degraded()}`)] : []),
    ...noteTexts(planNotes(view)).map((note) => `! ${plainText(note)}`),
    cost,
  ];
  const result = [
    ...(files.design === null ? [] : [planningTexts.designWritten(files.design)]),
    planningTexts.written(files.plan),
  ];
  return { result: `${result.join("\n")}\n`, remarks: `${remarks.join("\n")}\n` };
}

function whyNone({ outcome }: PlanNewView): { readonly reason: string; readonly next: string } {
  return outcome?.kind === "refused" ? outcome : { reason: planningTexts.cancelled(), next: "" };
}

/** What `--json` prints. */
export type PlanNewJson = {
  readonly type: "plan";
  readonly task: string;
  readonly status: "written" | "refused" | "cancelled";
  readonly commit: string;
  /** As they were named; null: not written. */
  readonly path: string | null;
  readonly design: string | null;
  /** The planner brought no sound plan, and one of a single stage stands in its place. */
  readonly degraded: boolean;
  readonly notes: readonly string[];
  /** Why there is no plan, or only one of a single stage. */
  readonly reason: string | null;
  readonly usage: Usage | null;
  readonly workedMs: number;
};

export function planNewJson(view: PlanNewView, files: PlanFiles): PlanNewJson {
  const { id, commit, outcome, degraded, usage, workedMs } = view;
  const written = outcome?.kind === "written";
  const refused = outcome?.kind === "refused" ? `${outcome.reason} ${outcome.next}`.trim() : null;
  return {
    type: "plan",
    task: id,
    status: written ? "written" : refused === null ? "cancelled" : "refused",
    commit,
    path: written ? files.plan : null,
    design: written ? files.design : null,
    degraded: written && degraded !== null,
    notes: noteTexts(planNotes(view)),
    reason: refused ?? (degraded && whyDegraded(degraded.cause)),
    usage,
    workedMs,
  };
}
