import { assertNever, InternalError } from "../../errors.ts";
import { buildGraph } from "../../graph/stage-graph.ts";
import type { StageId } from "../../ids.ts";
import { LOCAL_MERGE } from "../../merge/merge-policy.ts";
import { parsePlan } from "../../plan/read/parse-plan.ts";
import type { VoidCause } from "../causes.ts";
import type { RunCreated, RunEvent } from "../events.ts";
import type { Approval, Run, StageRecord } from "../run.ts";
import { isOverBudget } from "../run-budget.ts";
import { moveStage } from "../stage-state.ts";
import { evolvePlan, gateOf } from "./evolve-plan.ts";
import { evolveStage } from "./evolve-stage.ts";
import { freshRecord } from "./fresh-record.ts";

/** The run after these events. The given run is left as it was. */
export function evolve(run: Run | null, events: readonly RunEvent[]): Run | null {
  if (events.length === 0) return run;
  let current = run ? open(run) : null;
  for (const event of events) {
    if (event.type === "run-created") {
      if (current) throw new InternalError(`run ${event.run} was created twice`);
      current = open(create(event));
    } else if (current) {
      apply(current, event);
      current.version += 1;
    } else {
      throw new InternalError(`the ledger starts with ${event.type} instead of run-created`);
    }
  }
  return current;
}

type Draft = { -readonly [K in keyof Run]: Run[K] } & { stages: Map<StageId, StageRecord> };

function open(run: Run): Draft {
  return { ...run, stages: new Map(run.stages) };
}

function create(event: RunCreated): Run {
  const { plan, problems } = parsePlan(event.planText, { origin: "elsewhere", isRecorded: true });
  if (!plan)
    throw new InternalError(
      `the plan of run ${event.run} does not load: ${problems[0]?.message ?? "no reason"}`,
    );
  const graph = buildGraph(plan.stages);
  const plans = new Map(plan.stages.map((stage) => [stage.id, stage]));
  const gateParts = { synthesised: event.gate, also: event.alsoGate ?? [] };
  return {
    id: event.run,
    version: 1,
    generation: event.generation,
    plan,
    planPath: event.planPath,
    planText: event.planText,
    planVersion: 1,
    amended: null,
    refusedEdit: null,
    graph,
    gate: gateOf(plan, gateParts),
    gateParts,
    protect: event.protect ?? [],
    target: event.target,
    base: event.base,
    tip: event.base,
    settings: event.settings,
    status: "running",
    cancelledBy: null,
    origin: event.origin ?? null,
    merge: event.merge ?? LOCAL_MERGE,
    labels: event.labels ?? null,
    showsPanel: event.showsPanel ?? false,
    planning: event.planning ?? null,
    offer: null,
    approval: event.needsApproval ? { kind: "awaited", voided: null } : { kind: "not-needed" },
    gestures: new Map(),
    approverRole: event.approverRole ?? "write",
    pausedBy: null,
    budgetLifted: false,
    panel: null,
    archived: false,
    stalls: 0,
    createdAt: event.at,
    finishedAt: null,
    name: null,
    exhausted: new Map(),
    recorded: null,
    stages: new Map(
      graph.order.flatMap((id) => plans.get(id) ?? []).map((stage) => [stage.id, freshRecord(stage)]),
    ),
    removed: new Map(),
    stackConflicts: 0,
  };
}

function apply(run: Draft, event: Exclude<RunEvent, RunCreated>): void {
  if ("stage" in event) {
    const record = run.stages.get(event.stage);
    if (!record) throw new InternalError(`run ${run.id} has no stage ${event.stage}`);
    const next = evolveStage(record, event, run.version);
    run.stages.set(event.stage, next);
    run.stackConflicts += Number(next.stackConflict !== null) - Number(record.stackConflict !== null);
    if (event.type === "stage-merged") {
      run.tip = event.merged;
      freeStacks(run);
      // A person brought in what Loom had given up on: what waited for it can go on.
      if (record.state.kind === "blocked" && run.cancelledBy === null) reopenDependents(run, event.stage);
    }
    if (event.type === "stage-published" && event.commit !== record.branch?.tip) freeStacks(run);
    if (event.type === "stage-reopened") reopenDependents(run, event.stage);
    if (event.type === "stage-taken") reopenDependents(run, event.stage);
    if (event.type === "harness-exhausted")
      run.exhausted = new Map(run.exhausted).set(event.harness, event.until);
    return;
  }
  switch (event.type) {
    case "run-resumed":
      return;
    case "run-stalled":
      run.stalls += 1;
      return;
    case "cancel-requested":
      run.cancelledBy = event.by;
      if (run.status === "blocked" || run.status === "failed") run.status = "running";
      return;
    case "run-finished":
      run.status = event.status;
      run.finishedAt = event.at;
      return;
    case "run-recorded":
      run.recorded = event.commit;
      return;
    case "run-named":
      run.name = event.name;
      return;
    case "plan-offered":
      run.offer = {
        pr: event.pr,
        head: event.head,
        blob: event.blob,
        since: event.since ?? event.at,
        planVersion: run.planVersion,
      };
      run.refusedEdit = null;
      return;
    case "plan-amended": {
      const reopened = run.status === "blocked" || run.status === "failed";
      Object.assign(run, evolvePlan(run, event), reopened ? { status: "running", finishedAt: null } : {});
      run.stackConflicts = [...run.stages.values()].filter((one) => one.stackConflict !== null).length;
      run.approval = voided(run.approval, { kind: "amended", by: event.by });
      return;
    }
    case "plan-edit-refused": {
      const { by, head, blob, problems } = event;
      run.refusedEdit = { by, head, blob, problems };
      run.approval = voided(run.approval, { kind: "edit-refused", by });
      return;
    }
    case "run-approved": {
      const { by, role, head, blob, via, at, gesture } = event;
      run.approval = { kind: "given", by, role, head, blob, via, at };
      if (gesture !== undefined) run.gestures = new Map(run.gestures).set(gesture, "done");
      return;
    }
    case "approval-voided":
      run.approval = { kind: "awaited", voided: event.cause };
      return;
    case "run-paused":
      run.pausedBy = event.cause;
      return;
    case "run-unpaused":
      run.budgetLifted ||= isOverBudget(run);
      run.pausedBy = null;
      return;
    case "command-heard":
      run.gestures = new Map(run.gestures).set(event.gesture, event.refused ? "refused" : "done");
      return;
    case "panel-posted":
      run.panel = event.comment;
      return;
    case "run-archived":
      run.archived = true;
      return;
    default:
      assertNever(event);
  }
}

/** One that was never given can't stop counting. */
function voided(approval: Approval, cause: VoidCause): Approval {
  const wasGiven = approval.kind === "given" || (approval.kind === "awaited" && approval.voided !== null);
  return wasGiven ? { kind: "awaited", voided: cause } : approval;
}

/** What did not go together may do so now that one side is in the target, or was resolved. */
function freeStacks(run: Draft): void {
  if (run.stackConflicts === 0) return;
  run.stackConflicts = 0;
  for (const [id, record] of run.stages)
    if (record.stackConflict) run.stages.set(id, { ...record, stackConflict: null });
}

/** Whatever was closed because of another stage waits again; `decide` closes anew what has to stay closed. */
function reopenDependents(run: Draft, reopened: StageId): void {
  run.status = "running";
  run.finishedAt = null;
  for (const [id, record] of run.stages) {
    if (id === reopened || record.state.kind !== "blocked" || record.state.failure.kind !== "dependency")
      continue;
    run.stages.set(id, {
      ...record,
      state: moveStage(id, record.state, { kind: "waiting-for-deps" }),
      endedAt: null,
    });
  }
}
