import type { RepositoryConfig } from "../../../core/config/repository/repository-config.ts";
import type { Plan } from "../../../core/plan/plan.ts";
import { loosensSandbox } from "../../../core/report/documents/sandbox-asks.ts";
import { planningReplies } from "../../../core/report/github/plan/planning-replies.ts";
import { replies } from "../../../core/report/github/run/replies.ts";
import { plannerEnd, plannerFailure } from "../../../core/report/terminal/task-end.ts";
import { requestTexts } from "../../../core/report/texts/request-texts.ts";
import { whyDegraded } from "../../../core/report/texts/task-cause-texts.ts";
import type { Origin } from "../../../core/run/origin.ts";
import { planNotes, planOf } from "../../../core/task/plan-of.ts";
import type { Task } from "../../../core/task/task.ts";
import type { TaskOutcome } from "../../../core/task/task-events.ts";
import { cancelRun } from "../../run/steer-run.ts";
import { refusedFor } from "../../task/task-channel.ts";
import { goOn } from "../command/go-on.ts";
import type { Host, RepoEngine } from "../host.ts";
import { issueLabel } from "../plan/find-written-plan.ts";
import { type OpenOutcome, type OpenRequest, openRun } from "../plan/open-run.ts";
import { takePlanTurn } from "../plan/plan-turn.ts";
import { readConfig } from "../plan/read-config.ts";
import type { Delivered } from "./delivered.ts";

/** Opens the plan as a run and its pull request, or says why there is none. */
export async function deliverPlan(host: Host, engine: RepoEngine, task: Task): Promise<Delivered> {
  const { origin, degraded, plan: wish } = task;
  const plan = planOf(task);
  const why = { problems: task.drafts.at(-1)?.problems ?? [], stopped: plannerEnd(task) };
  if (plan === null || !origin || !wish)
    return {
      text: planningReplies.degraded({ policy: "deny", ...why }),
      outcome: refusedFor({
        reason: degraded ? whyDegraded(degraded.cause) : "",
        next: why.stopped?.next ?? "",
        failure: plannerFailure(task),
      }),
    };
  const { config, problems: wrong } = await readConfig(engine);
  if (!config)
    return {
      text: replies.brokenConfig(wrong),
      outcome: { kind: "refused", reason: requestTexts.brokenConfig(), next: "" },
    };
  const isWished =
    wish.workflow === "express" && config.approval.express && (!degraded || wish.degraded === "allow");
  // Nobody has read what the agent wrote: a sandbox is not opened by a person who said "do it" before there was a plan (T7).
  const asksForMore = asksForTrust(host.parsePlan(plan, config.disabledAgents).plan);
  const outcome = await openInTurn(host, engine, config, {
    number: origin.issue,
    title: task.title,
    by: { login: origin.by, id: origin.byId },
    // Asked now, not taken from when the plan was wished for: an express plan is approved with it.
    role: await engine.people.roleOf({ login: origin.by, id: origin.byId }),
    harness: wish.harness,
    budgetUsd: wish.budgetUsd,
    express: isWished && !asksForMore,
    text: plan,
    label: issueLabel(origin.issue),
    asked: askedOf(origin),
    planning: { task: task.id, design: task.design?.document ?? null, ...planNotes(task) },
  });
  if (outcome.kind === "offered") {
    await goOn(engine, outcome.run);
    const dropped = await dropIfCancelled(engine, task, outcome);
    if (dropped) return dropped;
  }
  const opened = replies.request(outcome);
  const sentBack = planningReplies.sentBack(
    task.drafts.filter((draft) => draft.plan === null).map((draft) => draft.problems.length),
  );
  const policy = wish.degraded === "allow" ? "allow" : "require-approval";
  const text = degraded
    ? `${planningReplies.degraded({ policy, ...why }).trimEnd()}\n\n${opened}`
    : `${opened} ${outcome.kind === "offered" ? sentBack : ""}`.trimEnd();
  const isHeld = isWished && asksForMore && outcome.kind === "offered" && !outcome.approved;
  return {
    text: isHeld ? `${text}\n\n${planningReplies.expressHeld()}` : text,
    outcome: outcomeOf(outcome, opened),
  };
}

/** Somebody may just be asking for a plan of their own here. */
async function openInTurn(
  host: Host,
  engine: RepoEngine,
  config: RepositoryConfig,
  request: OpenRequest,
): Promise<OpenOutcome> {
  const turn = await takePlanTurn(host, engine, request.number);
  try {
    return await openRun(host, engine, config, request);
  } finally {
    if (turn.kind === "acquired") await turn.release();
  }
}

/** Somebody cancelled while the plan was being opened: when they looked, there was no run yet to be cancelled with it. */
async function dropIfCancelled(
  engine: RepoEngine,
  { id }: Task,
  { run, pr }: Extract<OpenOutcome, { kind: "offered" }>,
): Promise<Delivered | null> {
  const { cancelledBy } = await engine.tasks.get(id);
  if (cancelledBy === null) return null;
  if ((await engine.runs.get(run)).status === "running") await cancelRun(engine, run, cancelledBy);
  return {
    text: planningReplies.cancelledLate(cancelledBy, pr),
    outcome: { kind: "cancelled", by: cancelledBy },
  };
}

function askedOf({ at, gesture }: Origin): OpenRequest["asked"] {
  return { ...(at === undefined ? {} : { at }), ...(gesture === undefined ? {} : { gesture }) };
}

function asksForTrust(plan: Plan | null): boolean {
  return plan !== null && (loosensSandbox(plan) || plan.gate !== null);
}

function outcomeOf(outcome: OpenOutcome, text: string): TaskOutcome {
  return outcome.kind === "offered"
    ? { kind: "planned", run: outcome.run, pr: outcome.pr }
    : { kind: "refused", reason: text, next: "" };
}
