import type { Errand } from "../../../core/errand/errand.ts";
import { planOf } from "../../../core/errand/plan-of.ts";
import { amendPlan, howItEnded, standingOf } from "../../../core/plan/amend-plan.ts";
import { amendTexts } from "../../../core/report/amend-texts.ts";
import { amendReplies } from "../../../core/report/github/amend-replies.ts";
import { planningReplies } from "../../../core/report/github/planning-replies.ts";
import { stateWords } from "../../../core/report/stage-words.ts";
import type { PlanToAmend } from "../../errand/errand-office.ts";
import { amendRun } from "../amend-run.ts";
import { goOn } from "../go-on.ts";
import type { Host, RepoEngine } from "../host.ts";
import type { Delivered } from "./delivered.ts";

/** The plan that is to be changed, as it stands now; null when its run is over, or the errand changes none. */
export async function planToAmend(
  host: Host,
  engine: RepoEngine,
  { run: id, plan: wish }: Errand,
): Promise<PlanToAmend | null> {
  const run = id === null ? null : await engine.book.load(id);
  if (!run || howItEnded(run)) return null;
  return {
    plan: run.plan,
    planText: run.planText,
    version: run.planVersion,
    design: run.planning?.design ?? null,
    gate: run.gate.map(({ command }) => command),
    settled: new Set([...run.stages].flatMap(([stage, record]) => (standingOf(record) ? [stage] : []))),
    states: [...run.stages].map(([stage, record]) => ({
      id: stage,
      state: stateWords(record, engine.now()).word,
    })),
    refuses(planText) {
      const { plan, problems } = host.parsePlan(planText, wish?.disabledAgents ?? [], run);
      if (!plan) return amendTexts.errors(problems);
      const amendment = amendPlan(run, plan, { maxStages: wish?.maxStages ?? null });
      return amendment.kind === "refused" ? amendment.problems : [];
    },
  };
}

/** Lets the run go on with the changed plan, or says why it stays as it is. */
export async function deliverRevision(host: Host, engine: RepoEngine, errand: Errand): Promise<Delivered> {
  const planText = planOf(errand);
  const { run, origin, id } = errand;
  if (planText === null || run === null || !origin)
    return {
      text: planningReplies.refusedDraft(errand.drafts.at(-1)?.problems ?? []),
      outcome: { kind: "refused", reason: errand.degraded?.reason ?? "", next: "" },
    };
  const { notes = [], changes } = errand.drafts.at(-1) ?? {};
  const from = changes === undefined ? {} : { from: changes };
  const outcome = await amendRun(engine, host, { run, planText, notes, by: origin.by, key: id, ...from });
  await goOn(engine, run);
  switch (outcome.kind) {
    case "amended":
      return {
        text: planningReplies.amended(outcome.pr),
        outcome: { kind: "amended", run, changed: true },
      };
    case "unchanged":
      return { text: amendReplies.unchanged(), outcome: { kind: "amended", run, changed: false } };
    case "refused":
      return {
        text: amendReplies.refusedAmendment(outcome.problems),
        outcome: { kind: "refused", reason: outcome.problems[0] ?? "", next: "" },
      };
  }
}
