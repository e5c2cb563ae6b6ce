import type { Failure } from "../failure/failure.ts";
import { clearsByItself, nextStep } from "../failure/retry-policy.ts";
import type { Millis, StageId } from "../ids.ts";
import { failures } from "../report/texts/failure-texts.ts";
import type { PauseCause } from "./causes.ts";
import { commitsInLine } from "./merge-line.ts";
import { lacksApproval, type Run, type StageRecord } from "./run.ts";
import { isOverBudget } from "./run-budget.ts";
import { hasEnded, type StageState } from "./stage-state.ts";

/**
 * The only place that decides. Pure and level-triggered: given all that is known, what is due now? Asking twice, late,
 * or after a lost message gives the same run, because an action either becomes an event, which changes the answer, or
 * is a job that whoever takes it checks against the ledger again.
 *
 * One pass over the stages in topological order, so the time grows with the graph and nothing else.
 */
export type Action =
  | {
      readonly kind: "queue";
      readonly stage: StageId;
      readonly attempt: number;
      readonly notBefore: Millis | null;
    }
  | { readonly kind: "block"; readonly stage: StageId; readonly failure: Failure }
  | { readonly kind: "skip"; readonly stage: StageId; readonly reason: string }
  | { readonly kind: "start"; readonly stage: StageId; readonly attempt: number }
  | { readonly kind: "merge"; readonly stage: StageId }
  /** The budget is spent; a person decides whether it goes on. */
  | { readonly kind: "pause"; readonly cause: PauseCause }
  /** What a person made did not pass; it is theirs again, no agent's. */
  | { readonly kind: "hand-back"; readonly stage: StageId; readonly by: string; readonly reason: string }
  /** `idle`: it waits for its turn to be merged, so nobody is there to notice that it has to stop. */
  | { readonly kind: "stop"; readonly stage: StageId; readonly attempt: number; readonly idle: boolean }
  | { readonly kind: "wake"; readonly at: Millis }
  | { readonly kind: "explain-stall"; readonly explanation: string }
  | { readonly kind: "finish"; readonly status: "completed" | "failed" | "blocked" | "cancelled" }
  | { readonly kind: "record" };

/** A job that ends Loom this often is not tried again (F31). */
const MAX_DEATHS = 3;
/** Conflict sessions per stage before a person is asked. */
const MAX_CONFLICTS = 3;

export function decide(run: Run, now: Millis): Action[] {
  if (run.status === "completed") return run.recorded ? [] : [{ kind: "record" }];
  if (run.status !== "running") return [];
  if (run.cancelledBy !== null) return windDown(run, (id, record) => skipCancelled(id, record), "cancelled");
  if (lacksApproval(run)) return halt(run);
  const culprit = criticalFailure(run);
  if (culprit) return windDown(run, (id, record) => blockBehind(id, record, culprit), "failed");
  if (run.pausedBy === null && !run.budgetLifted && isOverBudget(run))
    return [{ kind: "pause", cause: { kind: "budget", usd: run.settings.budgetUsd ?? 0 } }];
  return goOn(run, now);
}

/** Stops the agents and nothing else: what is proved stays, and all goes on when the plan is approved again. */
function halt(run: Run): Action[] {
  const actions: Action[] = [];
  for (const [id, { state }] of run.stages)
    if (state.kind === "executing" && state.phase !== "published")
      actions.push({ kind: "stop", stage: id, attempt: state.attempt, idle: false });
  return actions;
}

/** Ends everything that runs, then closes what is left, then the run. */
function windDown(
  run: Run,
  close: (id: StageId, record: StageRecord) => Action | null,
  status: "cancelled" | "failed",
): Action[] {
  const actions: Action[] = [];
  for (const [id, record] of run.stages) {
    const { state } = record;
    if (state.kind === "executing") {
      const idle = state.phase === "published" && record.merging === null;
      actions.push({ kind: "stop", stage: id, attempt: state.attempt, idle });
    } else {
      const action = close(id, record);
      if (action) actions.push(action);
    }
  }
  return actions.length > 0 ? actions : [{ kind: "finish", status }];
}

function skipCancelled(id: StageId, record: StageRecord): Action | null {
  const kind = record.state.kind;
  return kind === "completed" || kind === "skipped"
    ? null
    : { kind: "skip", stage: id, reason: "The run was cancelled." };
}

function criticalFailure(run: Run): StageId | null {
  for (const [id, { plan, state }] of run.stages) {
    if (plan.critical && state.kind === "blocked" && state.failure.kind !== "dependency") return id;
  }
  return null;
}

function blockBehind(id: StageId, record: StageRecord, culprit: StageId): Action | null {
  return hasEnded(record.state)
    ? null
    : { kind: "block", stage: id, failure: failures.waitsFor(culprit, true) };
}

/** All that may be merged now, the first to be published first. `decide` names the first of them alone. */
export function dueMerges(run: Run, now: Millis): StageId[] {
  if (run.status !== "running" || run.cancelledBy !== null || run.pausedBy !== null) return [];
  if (lacksApproval(run) || criticalFailure(run) !== null || (!run.budgetLifted && isOverBudget(run)))
    return [];
  const due: Due[] = [];
  goOn(run, now, due);
  return due.sort((one, other) => one.since - other.since).map(({ stage }) => stage);
}

type Due = { readonly stage: StageId; readonly since: number };

function goOn(run: Run, now: Millis, merges: Due[] = []): Action[] {
  const actions: Action[] = [];
  const startable: { stage: StageId; attempt: number }[] = [];
  let merge: Due | null = null;
  let wake: Millis | null = null;
  let busy = 0;
  let open = 0;
  let questions = 0;
  // In the graph's order, so that a place in the one is a place in the other: looking a stage up by name for each of its
  // dependents is what would make large graphs slower per stage than small ones.
  const records = [...run.stages.values()];
  const isReady = run.merge.mode === "review" ? isOffered : isDone;
  const ordinaryDone = records.every(({ plan, state }) => plan.synthesis || isReady(state));
  const mayGoOn = run.pausedBy === null;
  // What was offered can become open again: somebody took it over, closed it, or it is being proved on a new base. What
  // stands on it stays where it is until then; as things are, there is nothing to stand on.
  const isUnsettled = (place: number): boolean =>
    run.merge.mode === "review" &&
    (records[place]?.plan.synthesis
      ? !ordinaryDone
      : (run.graph.needs[place] ?? []).some((need) => !isReady(records[need]?.state)));
  // Stages stand on others that are about to be merged; whoever does comes in behind them, or is moved when they don't.
  const inLine = commitsInLine(run);
  // A failure has to reach stages further down in the same pass; what is being closed counts as blocked already.
  const closing = new Set<number>();
  const blockedNeed = (place: number): number | undefined =>
    run.graph.needs[place]?.find((need) => closing.has(need) || records[need]?.state.kind === "blocked");

  for (let place = 0; place < records.length; place += 1) {
    const record = records[place];
    if (!record) continue;
    const { state, plan } = record;
    const { id } = plan;
    if (!hasEnded(state)) open += 1;
    switch (state.kind) {
      case "waiting-for-deps": {
        const needs = run.graph.needs[place] ?? [];
        const culprit = blockedNeed(place);
        if (culprit !== undefined) {
          closing.add(place);
          actions.push(block(id, failures.waitsFor(run.graph.order[culprit] ?? id)));
        } else if (
          needs.every((need) => isReady(records[need]?.state)) &&
          (!plan.synthesis || ordinaryDone)
        ) {
          actions.push(queue(id, record, null));
        }
        break;
      }
      case "queued": {
        const culprit = isUnsettled(place) ? blockedNeed(place) : undefined;
        if (culprit !== undefined) {
          closing.add(place);
          actions.push(block(id, failures.waitsFor(run.graph.order[culprit] ?? id)));
        } else if (state.notBefore !== null && state.notBefore > now) wake = earlier(wake, state.notBefore);
        else if (record.stackConflict || isUnsettled(place)) questions += 1;
        else startable.push({ stage: id, attempt: state.attempt });
        break;
      }
      case "executing":
        if (state.phase !== "published") busy += 1;
        // What it stands on is itself being moved or fixed; to follow it now would leave it behind.
        else if (isUnsettled(place)) questions += 1;
        else if (isWaiting(run, record, now)) {
          // A person or a pipeline is at work; that is no standstill.
          questions += 1;
          if (record.waiting?.until != null) wake = earlier(wake, record.waiting.until);
        } else if (inLine.has(record.base ?? "")) {
          // What it stands on is at work, or due before it.
        } else {
          const due = { stage: id, since: record.publishedAt ?? 0 };
          merges.push(due);
          if (!merge || due.since < merge.since) merge = due;
        }
        break;
      case "needs-handoff":
        actions.push(
          record.deaths >= MAX_DEATHS
            ? block(id, failures.quarantined(record.deaths))
            : queue(id, record, null),
        );
        break;
      case "completed-with-failures": {
        if (record.takenBy !== null && !clearsByItself(state.failure.kind)) {
          actions.push({ kind: "hand-back", stage: id, by: record.takenBy, reason: state.failure.message });
          break;
        }
        const step = nextStep(record.failures, plan.retries ?? run.settings.retries, run.settings);
        actions.push(step.kind === "retry" ? queue(id, record, step.notBefore) : block(id, state.failure));
        break;
      }
      case "merge-conflict":
        actions.push(
          record.conflicts > MAX_CONFLICTS
            ? block(id, failures.unresolved(MAX_CONFLICTS, state.files))
            : queue(id, record, null),
        );
        break;
      case "merge-blocked":
        actions.push(block(id, state.failure));
        break;
      case "waiting-for-input":
        questions += 1;
        break;
      case "blocked":
      case "completed":
      case "skipped":
        break;
    }
  }

  startable.sort((a, b) => urgency(run, b.stage) - urgency(run, a.stage));
  if (mayGoOn) {
    for (const { stage, attempt } of startable.slice(0, Math.max(0, run.settings.maxParallel - busy)))
      actions.push({ kind: "start", stage, attempt });
    if (merge) actions.push({ kind: "merge", stage: merge.stage });
  }
  if (wake !== null) actions.push({ kind: "wake", at: wake });
  if (open === 0) actions.push({ kind: "finish", status: anyBlocked(run) ? "blocked" : "completed" });
  else if (mayGoOn && actions.length === 0 && busy === 0 && startable.length === 0 && questions === 0)
    actions.push(...unstick(run));
  return actions;
}

/** Longest way to the end first: what everything else waits for must not wait itself. */
function urgency(run: Run, stage: StageId): number {
  return run.graph.heights.get(stage) ?? 0;
}

function queue(stage: StageId, record: StageRecord, notBefore: Millis | null): Action {
  return { kind: "queue", stage, attempt: record.open ? record.attempts : record.attempts + 1, notBefore };
}

function block(stage: StageId, failure: Failure): Action {
  return { kind: "block", stage, failure };
}

/** Merged, or left out by a person who has taken care of it. */
function isDone(state: StageState | undefined): boolean {
  return state?.kind === "skipped" || (state?.kind === "completed" && state.merged !== null);
}

/** Or proved and open as a pull request: where people merge, what comes next is stacked on it. */
function isOffered(state: StageState | undefined): boolean {
  return isDone(state) || (state?.kind === "executing" && state.phase === "published");
}

/**
 * Nothing is to be done about a published stage now. What it stands on is looked at here and not left to a wake-up: when a
 * dependency was merged or changed, its work has to follow.
 */
function isWaiting(run: Run, { waiting }: StageRecord, now: Millis): boolean {
  if (!waiting || (waiting.until !== null && waiting.until <= now)) return false;
  return waiting.stack.every(({ stage, tip }) => {
    const parent = run.stages.get(stage);
    return parent !== undefined && !isDone(parent.state) && (!parent.branch || parent.branch.tip === tip);
  });
}

function earlier(one: Millis | null, other: Millis): Millis {
  return one === null ? other : Math.min(one, other);
}

function anyBlocked(run: Run): boolean {
  for (const { state } of run.stages.values()) if (state.kind === "blocked") return true;
  return false;
}

/**
 * Nothing is due, nothing runs, and yet stages are open. That is a defect or a synthesis stage behind a blocked one:
 * it is explained once, and if that changes nothing, what is open is closed so that the run can end.
 */
function unstick(run: Run): Action[] {
  const waiting = [...run.stages].filter(([, record]) => !hasEnded(record.state)).map(([id]) => id);
  const blocked = [...run.stages].find(([, record]) => record.state.kind === "blocked")?.[0];
  if (blocked === undefined && run.stalls === 0) {
    return [
      {
        kind: "explain-stall",
        explanation: `Nothing can start, yet these stages are open: ${waiting.slice(0, 10).join(", ")}.`,
      },
    ];
  }
  const failure = blocked ? failures.waitsFor(blocked) : failures.noWayToStart();
  return waiting.map((stage) => block(stage, failure));
}
