import { amendReplies } from "../../../core/report/github/plan/amend-replies.ts";
import { planningReplies } from "../../../core/report/github/plan/planning-replies.ts";
import { stateWords } from "../../../core/report/terminal/stage-words.ts";
import { amendTexts } from "../../../core/report/texts/amend-texts.ts";
import { whyDegraded } from "../../../core/report/texts/task-cause-texts.ts";
import { amendPlan, howItEnded, standingOf } from "../../../core/run/amend-plan.ts";
import { planOf } from "../../../core/task/plan-of.ts";
import type { Task } from "../../../core/task/task.ts";
import type { PlanToAmend } from "../../task/task-channel.ts";
import { goOn } from "../command/go-on.ts";
import type { Host, RepoEngine } from "../host.ts";
import { amendRun } from "../plan/amend-run.ts";
import type { Delivered } from "./delivered.ts";

/** The plan that is to be changed, as it stands now; null when its run is over, or the task changes none. */
export async function planToAmend(
  host: Host,
  engine: RepoEngine,
  { run: id, plan: wish }: Task,
): Promise<PlanToAmend | null> {
  const run = id === null ? null : await engine.runs.load(id);
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
      return amendment.kind === "refused" ? amendment.problems.map(amendTexts.problem) : [];
    },
  };
}

/** Lets the run go on with the changed plan, or says why it stays as it is. */
export async function deliverRevision(host: Host, engine: RepoEngine, task: Task): Promise<Delivered> {
  const planText = planOf(task);
  const { run, origin, id } = task;
  if (planText === null || run === null || !origin)
    return {
      text: planningReplies.refusedDraft(task.drafts.at(-1)?.problems ?? []),
      outcome: { kind: "refused", reason: task.degraded ? whyDegraded(task.degraded.cause) : "", next: "" },
    };
  const { notes = [], changes } = task.drafts.at(-1) ?? {};
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
