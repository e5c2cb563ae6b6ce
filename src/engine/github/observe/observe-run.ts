import { type RunId, type Sha, type StageId, stageBranch } from "../../../core/ids.ts";
import { failures } from "../../../core/report/texts/failure-texts.ts";
import { observations } from "../../../core/report/texts/observation-texts.ts";
import { waits } from "../../../core/report/texts/wait-texts.ts";
import type { RunEvent } from "../../../core/run/events.ts";
import { evolve } from "../../../core/run/evolve/evolve.ts";
import { isMergedByPeople } from "../../../core/run/merged-by-people.ts";
import { type Run, type StageRecord, stageOf } from "../../../core/run/run.ts";
import { isSettled } from "../../../core/run/stage-state.ts";
import type { Observation, PullFacts, StageFacts } from "../../../ports/github/pulls.ts";
import { timestamp } from "../../engine.ts";
import { archiveWhenMerged } from "../command/archive-run.ts";
import { awaitsArchive } from "../command/find-run.ts";
import type { RepoEngine } from "../host.ts";
import { adoptPlanPush } from "../plan/adopt-plan-push.ts";
import type { AmendParts } from "../plan/judge-amendment.ts";
import { type Fold, findFolds } from "./find-folds.ts";
import { isMerging, keepPendingChange, noteChange, takePendingChange } from "./pending-changes.ts";
import { type Push, placePush } from "./place-push.ts";

/**
 * Reads from GitHub and git what people and pipelines did to a run, and writes it down. It is the only place where
 * their doings become events, whether a webhook told of them or was lost: pushes, closed pull requests, deleted
 * branches, removed labels, merges. Nothing here acts; `decide` does, on what is written.
 */
export async function observeRun(engine: RepoEngine, parts: AmendParts, id: RunId): Promise<void> {
  const run = await engine.runs.load(id);
  if (!run || run.status === "cancelled") return;
  if (run.status !== "completed") await look(engine, parts, run);
  // What holds up the record of a completed run is no event, but may be gone by now.
  if (run.recorded === null) await engine.queue.enqueue({ kind: "advance", repo: engine.repo, run: id });
  if (awaitsArchive(run)) await archiveWhenMerged(engine, run);
}

async function look(engine: RepoEngine, parts: AmendParts, run: Run): Promise<void> {
  const hasPendingChange = await takePendingChange(engine, run.id);
  const observed = await engine.pulls.observe({
    run: run.id,
    since: run.base,
    target: run.target,
    planPr: run.offer?.pr ?? null,
    stages: [...run.stages].map(([stage, record]) => ({
      stage,
      pr: record.pr,
      settled: isSettled(record.state),
      mergeable: isMergedByPeople(run, record),
    })),
  });
  if (await adoptPlanPush(engine, parts, run, observed.plan)) {
    // The run has another plan now, or none that can be approved: what was seen was seen for the one before.
    await (hasPendingChange ? noteChange(engine, run.id) : askAgain(engine, run.id));
    return;
  }
  await lookAgain(engine, run, observed);
  const folds = await findFolds(engine, run, observed);
  const pushes = await placePushes(engine, run, observed, folds);
  const seen = await confirmReopened(engine, run, observed);
  let isTooEarly = false;
  await engine.runs.write(run.id, (current) => {
    isTooEarly = [...current.stages].some(
      ([stage, record]) => isMerging(record) || (record.waiting && record !== run.stages.get(stage)),
    );
    const at = timestamp(engine);
    const events: RunEvent[] = [];
    // A plan that was offered or approved while GitHub was being read has not been looked at as it is now.
    if (current.offer?.pr === run.offer?.pr && current.approval === run.approval)
      events.push(...aboutPlan(current, seen.plan, at));
    // What one stage's events change for the next counts for it: a merge reopens what waited for it.
    let now = evolve(current, events) ?? current;
    for (const [stage, facts] of seen.stages) {
      // Loom itself went on while GitHub was being read: what was seen is older than what is known.
      if (current.stages.get(stage) !== run.stages.get(stage)) continue;
      const fold = folds.byStage.get(stage) ?? null;
      const push = pushes.get(stage) ?? null;
      const record = stageOf(now, stage);
      const more = aboutStage({
        run: now,
        record,
        facts,
        fold,
        push,
        at,
        claim: engine.newId(),
        hasPendingChange,
      });
      now = evolve(now, more) ?? now;
      events.push(...more);
    }
    return events;
  });
  if (hasPendingChange && isTooEarly && run.merge.mode === "auto") await keepPendingChange(engine, run.id);
}

/**
 * A closed pull request is asked for once more, last of all, before it counts as reopened. GitHub's list may be from before it
 * was closed; and when it was reopened and closed again meanwhile, a newer look wrote nothing by which this one could see its age.
 */
async function confirmReopened(engine: RepoEngine, run: Run, seen: Observation): Promise<Observation> {
  const stages = new Map(seen.stages);
  for (const [stage, facts] of seen.stages) {
    if (facts.pull?.open && isHeldAsClosed(stageOf(run, stage)))
      stages.set(stage, { ...facts, pull: await engine.pulls.pull(facts.pull.number) });
  }
  return { ...seen, stages };
}

function isHeldAsClosed({ state }: StageRecord): boolean {
  return state.kind === "blocked" && state.failure.kind === "pull-closed";
}

async function askAgain(engine: RepoEngine, run: RunId): Promise<void> {
  await engine.queue.enqueue({ kind: "observe", repo: engine.repo, run });
}

const LOOK_AGAIN_MS = 5_000;
const LOOKS = 3;

/**
 * Where people merge, only GitHub knows that something conflicts; it works that out after it was asked and tells nobody.
 * So it is asked again after 5, 10 and 15 seconds, and then by the sweep.
 */
async function lookAgain(engine: RepoEngine, run: Run, seen: Observation): Promise<void> {
  const isUnknown = [...run.stages].some(([stage, record]) => {
    const pull = seen.stages.get(stage)?.pull;
    return isMergedByPeople(run, record) && pull?.open && pull.mergeable === null;
  });
  if (!isUnknown) return;
  const key = `looks/${run.id}`;
  const times = Number((await engine.cache.get(key)) ?? "0") + 1;
  if (times > LOOKS) return;
  await engine.cache.set(key, String(times), { ttlMs: 2 * LOOKS * LOOK_AGAIN_MS });
  await engine.queue.enqueue(
    { kind: "observe", repo: engine.repo, run: run.id },
    { delayMs: times * LOOK_AGAIN_MS },
  );
}

function aboutPlan(run: Run, plan: PullFacts | null, at: string): RunEvent[] {
  if (!run.offer || run.status !== "running" || run.cancelledBy !== null) return [];
  if (!plan?.open && !plan?.merged)
    return [{ type: "cancel-requested", at, by: observations.closedPlan(run.offer.pr) }];
  const { approval } = run;
  if (approval.kind !== "given") return [];
  if (plan.head.sha !== approval.head)
    return [
      {
        type: "approval-voided",
        at,
        cause: { kind: "plan-moved", from: approval.head, to: plan.head.sha },
      },
    ];
  const label = run.labels?.approve;
  const isThere = plan.labels.some((one) => one.toLowerCase() === label?.toLowerCase());
  if (approval.via === "label" && label !== undefined && !isThere && !plan.merged)
    return [{ type: "approval-voided", at, cause: { kind: "label-removed", label } }];
  return [];
}

type StageSeen = {
  readonly run: Run;
  readonly record: StageRecord;
  readonly facts: StageFacts;
  readonly fold: Fold | null;
  readonly push: Push | null;
  readonly at: string;
  readonly claim: string;
  /** A webhook asked for this look. */
  readonly hasPendingChange: boolean;
};

function aboutStage(seen: StageSeen): RunEvent[] {
  const { run, record, facts, fold, push, at } = seen;
  const { state, plan } = record;
  const stage = plan.id;
  const merged = facts.merged ?? fold?.merged ?? null;
  if (merged !== null) return nowMerged(seen, merged);
  if (record.takenBy !== null && state.kind === "waiting-for-input")
    return push ? [handedOver(seen, push, record.takenBy)] : [];
  if (isHeldAsClosed(record) && facts.pull?.open)
    return [{ type: "stage-reopened", at, stage, by: observations.reopened(facts.pull.number) }];
  if (state.kind !== "executing" || state.phase !== "published" || !record.branch) return [];
  if (fold) return nowFolded(seen, fold);
  if (push) {
    // Only merges of what stands on it have moved the branch: that is no stranger's work, but has to be proved.
    const by = observations.mergedInto(push.pr ?? 0);
    const branch = stageBranch(run.id, stage);
    return [{ type: "stage-taken", at, stage, by, branch }, handedOver(seen, push, by)];
  }
  return aboutOffer(seen, record.branch);
}

function aboutOffer(
  { run, record, facts, at, hasPendingChange }: StageSeen,
  branch: NonNullable<StageRecord["branch"]>,
): RunEvent[] {
  const stage = record.plan.id;
  const common = { at, stage, attempt: record.attempts };
  const held = (failure: ReturnType<typeof failures.held>): RunEvent[] => [
    { type: "merge-held", ...common, failure },
  ];
  const { pull, tip } = facts;
  if (pull?.merged)
    return pull.base === run.target
      ? []
      : held(failures.mergedElsewhere(pull.number, pull.base, run.target, stage));
  if (tip === null) return held(failures.branchDeleted(branch.name, stage));
  if (pull && !pull.open) return held(failures.pullClosed(pull.number, stage));
  if (tip !== branch.tip) return held(failures.branchMoved(branch.name, stage));
  // Where Loom merges, checks and reviews may have ended, and what is in a merge queue can fall out of it unheard; where
  // people do, only a conflict asks for more.
  const isQueued = record.queueEntries > 0;
  const mayGoOn = isMergedByPeople(run, record) ? pull?.mergeable === false : hasPendingChange || isQueued;
  return record.waiting && mayGoOn ? [{ type: "merge-woken", ...common }] : [];
}

/** Merged is final, whatever Loom was about to do with the stage: then no attempt is left to go on with. */
function nowMerged({ record, at, claim }: StageSeen, merged: Sha): RunEvent[] {
  const { state, plan, open, attempts } = record;
  if (isSettled(state)) return [];
  const commit = record.commit ?? merged;
  const attempt = state.kind === "executing" || state.kind === "blocked" || open ? attempts : attempts + 1;
  const common = { at, stage: plan.id, attempt };
  const done: RunEvent = { type: "stage-merged", ...common, commit, merged };
  if (state.kind === "executing" || state.kind === "blocked") return [done];
  const begun: RunEvent = open
    ? { type: "attempt-resumed", ...common, claim }
    : { type: "attempt-started", ...common, claim, base: record.base ?? merged };
  const queued: RunEvent = { type: "stage-queued", ...common, notBefore: null };
  return state.kind === "queued" ? [begun, done] : [queued, begun, done];
}

function nowFolded({ run, record, facts, at }: StageSeen, { into }: Fold): RunEvent[] {
  const common = { at, stage: record.plan.id, attempt: record.attempts };
  if (facts.pull && run.stages.get(into)?.state.kind === "skipped") {
    const { number, base } = facts.pull;
    const failure = failures.mergedElsewhere(number, base, run.target, record.plan.id);
    return [{ type: "merge-held", ...common, failure }];
  }
  if (record.foldedInto === into) return [];
  const below = run.stages.get(into)?.pr ?? null;
  const text = waits.folded(facts.pull?.number ?? 0, into, below);
  return [{ type: "stage-folded", ...common, into, ...text }];
}

function handedOver({ run, record, at }: StageSeen, push: Push, by: string): RunEvent {
  return {
    type: "stage-handed-over",
    at,
    stage: record.plan.id,
    attempt: record.attempts + 1,
    by,
    commit: push.commit,
    base: push.base,
    stack: [...push.stack],
    branch: record.branch?.name ?? stageBranch(run.id, record.plan.id),
  };
}

/** Commits of people that Loom goes on with: on a branch that a person took over, or by merging what stands on it. */
async function placePushes(
  engine: RepoEngine,
  run: Run,
  seen: Observation,
  folds: Awaited<ReturnType<typeof findFolds>>,
): Promise<ReadonlyMap<StageId, Push>> {
  const pushes = new Map<StageId, Push>();
  for (const [stage, record] of run.stages) {
    const tip = seen.stages.get(stage)?.tip;
    if (!tip || tip === record.branch?.tip) continue;
    const isTaken = record.takenBy !== null && record.state.kind === "waiting-for-input";
    const pr = folds.tips.get(stage) ?? null;
    if (!isTaken && pr === null) continue;
    const push = await placePush(engine, run, record, { tip, target: seen.targetTip, pr });
    if (push) pushes.set(stage, push);
  }
  return pushes;
}
