import type { Millis, Sha } from "../../../ids.ts";
import type { Run, StageRecord } from "../../../run/run.ts";
import { amendTexts } from "../../texts/amend-texts.ts";
import { whyVoided } from "../../texts/cause-texts.ts";
import { type PlanCheckState, planCheck } from "../plan/plan-check.ts";
import type { CheckReport } from "./check-report.ts";
import { gateCheck } from "./gate-check.ts";
import { hostedStatus, panelView, stageCheckView, wasUnconfined } from "./run-views.ts";
import { stageCheck } from "./stage-check.ts";

export type RunCheck = CheckReport & { readonly head: Sha; readonly externalId: string };

/**
 * Every check run that a run shows now: the plan's and the gate's on the plan's head; each stage's on the head of its pull
 * request, or on the plan's when it is stuck before there is one.
 */
export function checksOf(run: Run, now: Millis): RunCheck[] {
  if (!run.offer) return [];
  const planHead = run.approval.kind === "given" ? run.approval.head : run.offer.head;
  const status = hostedStatus(run);
  const checks: RunCheck[] = [
    { ...planCheck(planState(run)), head: planHead, externalId: run.id },
    {
      ...gateCheck({ status, stages: panelView(run, now).stages, unconfined: wasUnconfined(run) }),
      head: planHead,
      externalId: `${run.id}/gate`,
    },
  ];
  for (const record of run.stages.values()) {
    const head = headOf(record) ?? (isStuck(record) ? planHead : null);
    if (head === null) continue;
    const externalId = `${run.id}/${record.plan.id}/${record.attempts}`;
    checks.push({ ...stageCheck(stageCheckView(run, record)), head, externalId });
  }
  for (const record of run.removed.values()) {
    const head = headOf(record);
    if (head === null) continue;
    const state = { kind: "skipped", reason: amendTexts.gone() } as const;
    const externalId = `${run.id}/${record.plan.id}/${record.attempts}`;
    checks.push({ ...stageCheck({ ...stageCheckView(run, record), state }), head, externalId });
  }
  return checks;
}

/** Where its pull request stands; while an agent works on the next attempt, the last one's evidence stays. */
function headOf({ pr, branch }: StageRecord): Sha | null {
  return pr === null ? null : (branch?.tip ?? null);
}

function isStuck({ state }: StageRecord): boolean {
  if (state.kind === "waiting-for-input") return true;
  return state.kind === "blocked" && state.failure.kind !== "dependency";
}

function planState(run: Run): PlanCheckState {
  if (run.cancelledBy !== null) return { kind: "cancelled", by: run.cancelledBy };
  const { approval, offer, labels } = run;
  if (approval.kind === "given") return { ...approval, kind: "approved" };
  const { refusedEdit, planPath } = run;
  if (refusedEdit && refusedEdit.head === offer?.head)
    return { kind: "refused-edit", ...refusedEdit, planPath };
  return {
    kind: "awaited",
    head: offer?.head ?? "",
    label: labels?.approve ?? "",
    leastRole: run.approverRole,
    voided: approval.kind === "awaited" && approval.voided ? whyVoided(approval.voided) : null,
  };
}
