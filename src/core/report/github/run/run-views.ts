import { runFolder } from "../../../config/run-folder.ts";
import type { Millis, StageId } from "../../../ids.ts";
import type { MergeRules } from "../../../merge/merge-rules.ts";
import { asksForPerson, isMergedByPeople } from "../../../run/merged-by-people.ts";
import { type Run, type StageRecord, stageOf } from "../../../run/run.ts";
import { costOf, isOverBudget } from "../../../run/run-budget.ts";
import { levelOf, stagesInOrder } from "../../terminal/run-counts.ts";
import { stageNote, stateWords } from "../../terminal/stage-words.ts";
import { explainAsk } from "../../terminal/verdict-report.ts";
import { pausedBy, whyPaused, whyVoided } from "../../texts/cause-texts.ts";
import { noteTexts } from "../../texts/planning-texts.ts";
import { waits } from "../../texts/wait-texts.ts";
import { commandNames } from "../markdown/command-names.ts";
import { countChecks } from "../plan/criteria-text.ts";
import type { PlanPullView } from "../plan/plan-pull.ts";
import type {
  Ask,
  HostedStatus,
  Neighbour,
  PanelView,
  StageCheckState,
  StageCheckView,
  StagePullView,
  StageView,
} from "./views.ts";

/** A run as the texts on GitHub show it. */

export function hostedStatus(run: Run): HostedStatus {
  if (run.status !== "running") return run.status;
  if (run.approval.kind === "awaited") return run.offer ? "plan-review" : "planning";
  return run.pausedBy ? "paused" : "running";
}

/** Leaves out whatever changes with every look at the clock: a panel is edited when something happened, not when time passed. */
export function panelView(run: Run, now: Millis): PanelView {
  const spent = costOf(run);
  return {
    runId: run.id,
    title: run.origin?.title ?? run.plan.name ?? run.name ?? run.id,
    issue: run.origin?.issue ?? null,
    target: run.target,
    status: hostedStatus(run),
    mergeMode: run.merge.mode,
    planPr: run.offer?.pr ?? null,
    approval: run.approval.kind === "given" ? run.approval : null,
    voided: run.approval.kind === "awaited" && run.approval.voided ? whyVoided(run.approval.voided) : null,
    paused: run.pausedBy && { by: pausedBy(run.pausedBy), reason: whyPaused(run.pausedBy) },
    cancelledBy: run.cancelledBy,
    stages: stagesInOrder(run).map(([, record]) => stageView(run, record, now)),
    asks: asksOf(run),
    elapsedMs: run.finishedAt === null ? null : Date.parse(run.finishedAt) - Date.parse(run.createdAt),
    spentUsd: spent > 0 ? spent : null,
    budgetUsd: run.settings.budgetUsd ?? null,
  };
}

function stageView(run: Run, record: StageRecord, now: Millis): StageView {
  const { icon, word, group } = stateWords(record, now);
  const { text } = stageNote(run, record, undefined, Date.parse(record.startedAt ?? run.createdAt));
  return {
    id: record.plan.id,
    name: record.plan.name,
    state: { icon, word, group },
    level: Number(levelOf(run, record.plan.id)) - 1,
    pr: record.pr,
    checks: record.verdict ? countChecks(record.verdict) : null,
    elapsedMs:
      record.endedAt !== null && record.startedAt !== null
        ? Date.parse(record.endedAt) - Date.parse(record.startedAt)
        : null,
    attempt: record.attempts,
    dependencies: record.plan.dependencies,
    note: text === "" ? null : text,
  };
}

function asksOf(run: Run): Ask[] {
  const asks: Ask[] = [];
  if (run.status === "running" && run.approval.kind === "awaited") asks.push(...asksOfPlan(run));
  const { budgetUsd } = run.settings;
  if (run.pausedBy && budgetUsd != null && isOverBudget(run))
    asks.push({ kind: "budget", spentUsd: costOf(run), budgetUsd });
  for (const [, record] of stagesInOrder(run)) asks.push(...asksOfStage(run, record));
  return asks;
}

function asksOfPlan({ offer, labels, refusedEdit }: Run): Ask[] {
  if (!offer || !labels) return [];
  const { pr, head } = offer;
  return refusedEdit?.head === head
    ? [{ kind: "fix-plan", pr, head, problem: refusedEdit.problems[0] ?? "" }]
    : [{ kind: "approve", pr, head, label: labels.approve }];
}

function asksOfStage(run: Run, record: StageRecord): Ask[] {
  const { state, takenBy, pr } = record;
  const stage = record.plan.id;
  switch (state.kind) {
    case "waiting-for-input":
      return takenBy === null
        ? [{ kind: "answer", stage, question: state.question }]
        : [{ kind: "push", stage, by: takenBy, branch: `loom/${run.id}/${stage}` }];
    case "blocked":
      return state.failure.kind === "dependency"
        ? []
        : [{ kind: "unblock", stage, reason: state.failure.message }];
    case "executing":
      // Only what stands on the target can be merged; the others follow.
      return isMergedByPeople(run, record) &&
        record.waiting &&
        pr !== null &&
        record.stack.length === 0 &&
        record.foldedInto === null
        ? [{ kind: "merge", stage, pr, ...(asksForPerson(record) ? { why: record.waiting.reason } : {}) }]
        : [];
    default:
      return [];
  }
}

export function planPullView(run: Run, rules: MergeRules | null): PlanPullView {
  const { maxParallel, retries, timeoutSecs, budgetUsd } = run.settings;
  return {
    runId: run.id,
    plan: run.plan,
    graph: run.graph,
    planPath: run.planPath,
    issue: run.origin ? { number: run.origin.issue, title: run.origin.title } : null,
    requestedBy: run.origin?.by ?? "",
    why: null,
    planText: run.planText,
    notes: run.planning ? noteTexts(run.planning) : [],
    designPath: run.planning?.design ? `${runFolder(run.settings, run.id)}/design.md` : null,
    target: run.target,
    mergeMode: run.merge.mode,
    limits: { maxParallel, retries, timeoutSecs, budgetUsd: budgetUsd ?? null },
    gate: { commands: run.gate.map(({ command }) => command), isOwn: run.plan.gate !== null },
    rules,
    approval: { label: run.labels?.approve ?? "", leastRole: run.approverRole },
    head: run.offer?.head ?? null,
    express: run.approval.kind === "given" && run.approval.via === "express",
  };
}

export function stagePullView(run: Run, record: StageRecord): StagePullView {
  const { plan } = record;
  const asked = whatIsAsked(record);
  return {
    runId: run.id,
    stage: plan.id,
    name: plan.name,
    description: plan.description,
    attempt: record.attempts,
    commit: record.commit ?? "",
    files: record.files,
    moreFiles: record.moreFiles ?? 0,
    verdict: record.verdict,
    dependsOn: plan.dependencies.map((id) => neighbour(run, id)),
    neededBy: (run.graph.dependents.get(plan.id) ?? []).map((id) => neighbour(run, id)),
    planPr: run.offer?.pr ?? null,
    issue: run.origin?.issue ?? null,
    target: run.target,
    mergeMode: run.merge.mode,
    ...(asked ? { waits: asked } : {}),
    takenBy: record.takenBy,
  };
}

function neighbour(run: Run, stage: StageId): Neighbour {
  const { pr, state } = stageOf(run, stage);
  return { stage, pr, merged: state.kind === "completed" && state.merged !== null };
}

/** Agents or checks of any stage, also of one that left the plan, ran without a sandbox. */
export function wasUnconfined({ stages, removed }: Pick<Run, "stages" | "removed">): boolean {
  return [...stages.values(), ...removed.values()].some(({ unconfined }) => unconfined);
}

export function stageCheckView(run: Run, record: StageRecord): StageCheckView {
  const { plan, attempts, verdict } = record;
  return {
    runId: run.id,
    stage: plan.id,
    name: plan.name,
    attempt: attempts,
    state: stageCheckState(run, record),
    verdict,
    planPr: run.offer?.pr ?? null,
    deniedHosts: record.deniedHosts,
    unconfined: record.unconfined,
    warnings: record.warnings,
    report: record.report?.text ?? null,
    usedBy: [...record.usageBy].map(([name, usage]) => ({ name, usage })),
  };
}

/** What a person has to decide about a proved stage, before it is published as well as after. */
function whatIsAsked(record: StageRecord): ReturnType<typeof waits.gateChanged> | null {
  return record.verdict && asksForPerson(record)
    ? waits.gateChanged(explainAsk(record.verdict).message)
    : null;
}

function stageCheckState(run: Run, record: StageRecord): StageCheckState {
  const { state } = record;
  const asked = whatIsAsked(record);
  switch (state.kind) {
    case "waiting-for-deps":
    case "queued":
    case "needs-handoff":
      return { kind: "queued" };
    case "executing":
      if (state.phase === "working") return { kind: "working", activity: null };
      if (state.phase !== "published") return { kind: "verifying" };
      return asked ? { kind: "asks", ...asked } : { kind: "passed", merged: false };
    case "waiting-for-input":
      return {
        kind: "needs-person",
        reason: state.question,
        next: record.takenBy === null ? `Answer with ${commandNames.answer(record.plan.id)}` : "",
        retriable: false,
      };
    case "completed-with-failures":
      return {
        kind: "failed",
        message: state.failure.message,
        evidence: state.failure.evidence,
        retries: true,
      };
    case "merge-conflict":
      return { kind: "working", activity: `resolves a conflict in ${state.files.join(", ")}` };
    case "merge-blocked":
    case "blocked":
      return blockedState(state.failure);
    case "completed":
      return { kind: "passed", merged: true };
    case "skipped":
      return run.cancelledBy === null
        ? { kind: "skipped", reason: state.reason }
        : { kind: "cancelled", by: run.cancelledBy };
  }
}

function blockedState(
  failure: Extract<StageRecord["state"], { kind: "blocked" }>["failure"],
): StageCheckState {
  switch (failure.kind) {
    case "infrastructure":
    case "harness-missing":
    case "credentials":
    case "quarantined":
    case "transient":
      return { kind: "fault", message: failure.message };
    case "branch-taken":
    case "pull-closed":
    case "merge-blocked":
    case "target-rewound":
      return { kind: "needs-person", reason: failure.message, next: "" };
    default:
      return { kind: "failed", message: failure.message, evidence: failure.evidence, retries: false };
  }
}
