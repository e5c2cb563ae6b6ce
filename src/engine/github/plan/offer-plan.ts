import { runFolder } from "../../../core/config/run-folder.ts";
import { buildGraph } from "../../../core/graph/stage-graph.ts";
import { escapeTitle } from "../../../core/markdown/escape-markdown.ts";
import type { Plan } from "../../../core/plan/plan.ts";
import { renderAbout } from "../../../core/report/documents/about-file.ts";
import { renderUnit, unitName } from "../../../core/report/documents/unit-file.ts";
import { renderHistory } from "../../../core/report/terminal/history-lines.ts";
import type { Run } from "../../../core/run/run.ts";
import { timestamp } from "../../engine.ts";
import type { RepoEngine } from "../host.ts";
import { describePlan } from "./describe-plan.ts";

export type OfferOutcome =
  | { readonly kind: "offered"; readonly pr: number }
  | { readonly kind: "refused"; readonly reason: string; readonly next: string };

/** Opens the plan as a pull request: what people read, discuss and approve. */
export async function offerPlan(engine: RepoEngine, run: Run): Promise<OfferOutcome> {
  const { events } = await engine.store.load(run.id);
  const { title, body } = await describePlan(engine, run);
  const outcome = await engine.planBranch.offerPlan({
    run: run.id,
    target: run.target,
    base: run.base,
    // Only what can't change any more: a second try after a crash has to recognise the branch of the first.
    files: {
      ...planFiles(run),
      [`${runFolder(run.settings, run.id)}/history.jsonl`]: renderHistory(events.slice(0, 1)),
    },
    planPath: run.planPath,
    // The trailer is how the branch is known as Loom's own when it is time to delete it.
    message: `Plan ${escapeTitle(run.origin?.title ?? run.id)}\n\nLoom-Run: ${run.id}`,
    title,
    body,
  });
  switch (outcome.kind) {
    case "offered":
      await engine.runs.write(run.id, (current) =>
        current.offer
          ? null
          : [
              {
                type: "plan-offered",
                at: timestamp(engine),
                pr: outcome.pr,
                head: outcome.head,
                blob: outcome.blob,
                ...(outcome.since === null ? {} : { since: outcome.since }),
              },
            ],
      );
      return { kind: "offered", pr: outcome.pr };
    case "taken":
      return {
        kind: "refused",
        reason: `The branch \`${outcome.branch}\` exists and is not Loom's.`,
        next: "Rename or delete it, then ask again.",
      };
    case "closed":
      return {
        kind: "refused",
        reason: `The plan was open as #${outcome.pr} and somebody closed it.`,
        next: "Reopen it, or `/loom cancel` and ask again.",
      };
  }
}

/** What people read on the plan's branch; of another plan, where the run has changed. */
export function planFiles(run: Run, plan: Plan = run.plan): Record<string, string> {
  const folder = runFolder(run.settings, run.id);
  const stages = new Map(plan.stages.map((stage) => [stage.id, stage]));
  const units = buildGraph(plan.stages)
    .order.flatMap((id) => stages.get(id) ?? [])
    .map((stage, place) => [`${folder}/${unitName(place, stages.size, stage.id)}`, renderUnit(stage)]);
  return {
    [run.planPath]: run.planText,
    [`${folder}/about.md`]: renderAbout(run),
    ...(run.planning?.design ? { [`${folder}/design.md`]: run.planning.design } : {}),
    ...Object.fromEntries(units),
  };
}
