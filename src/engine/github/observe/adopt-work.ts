import type { RunId, Sha, StageId } from "../../../core/ids.ts";
import type { RunEvent } from "../../../core/run/events.ts";
import { namedFiles } from "../../../core/run/named-files.ts";
import type { Run, StackParent, StageRecord } from "../../../core/run/run.ts";
import { hasEnded } from "../../../core/run/stage-state.ts";
import type { Observation } from "../../../ports/github/pulls.ts";
import { leaseName } from "../../attempt/claim.ts";
import { timestamp } from "../../engine.ts";
import type { RepoEngine } from "../host.ts";

/**
 * After a loss the ledger ends before what GitHub shows: stages may have been published or merged since. What is merged is
 * written down. A branch whose tip Loom itself made becomes the attempt's commit, to be proved again, so that nothing is
 * done twice and Loom does not take its own branch for a stranger's. Whatever a person pushed is left alone.
 *
 * Who may push could give a commit Loom's name and trailers. That wins them nothing: it is proved like any other work, and
 * with `/loom take` they may hand in work of their own anyway.
 */
export async function adoptWork(engine: RepoEngine, id: RunId): Promise<void> {
  const run = await engine.runs.load(id);
  if (run?.status !== "running") return;
  const seen = await engine.pulls.observe({
    run: id,
    since: run.base,
    target: run.target,
    planPr: null,
    stages: [...run.stages].map(([stage, { pr, state }]) => ({ stage, pr, settled: hasEnded(state) })),
  });
  const found = new Map<StageId, Found>();
  for (const [stage, record] of run.stages) {
    const what = (await isIdle(engine, record)) ? await whatIsThere(engine, run, record, seen) : null;
    if (what) found.set(stage, what);
  }
  if (found.size === 0) return;
  await engine.runs.write(id, (current) =>
    [...found].flatMap(([stage, what]) => {
      const record = current.stages.get(stage);
      // Somebody went on with it while GitHub was being read.
      if (!record || record !== run.stages.get(stage)) return [];
      return eventsFor(record, what, { at: timestamp(engine), claim: engine.newId() });
    }),
  );
}

type Found =
  | { readonly kind: "merged"; readonly commit: Sha; readonly merged: Sha; readonly base: Sha }
  | {
      readonly kind: "work";
      readonly commit: Sha;
      readonly base: Sha;
      readonly files: string[];
      readonly stack: StackParent[];
    };

/** Nobody alive is at work on it, and it is no person's. */
async function isIdle(engine: RepoEngine, { state, takenBy }: StageRecord): Promise<boolean> {
  if (hasEnded(state) || takenBy !== null) return false;
  if (state.kind === "waiting-for-input" || state.kind === "merge-blocked") return false;
  return state.kind !== "executing" || !(await engine.leases.isHeld(leaseName(state.claim)));
}

async function whatIsThere(
  engine: RepoEngine,
  run: Run,
  record: StageRecord,
  seen: Observation,
): Promise<Found | null> {
  const facts = seen.stages.get(record.plan.id);
  if (!facts) return null;
  const base = record.base ?? run.base;
  if (facts.merged)
    return { kind: "merged", commit: record.commit ?? facts.merged, merged: facts.merged, base };
  const { tip } = facts;
  if (tip === null || tip === record.commit || tip === record.branch?.tip) return null;
  const missing = await (await engine.forgeFor(run)).fetch([tip]);
  const work = missing.length > 0 ? null : await engine.readOwnWork(tip);
  if (work?.run !== run.id || work.stage !== record.plan.id) return null;
  const files = await engine.workspaceFor(run).changedFiles(work.base, tip);
  return { kind: "work", commit: tip, base: work.base, files, stack: parentsIn(seen, work.base) };
}

/** Where people merge, a stage may stand on the branch of another. */
function parentsIn(seen: Observation, base: Sha): StackParent[] {
  return [...seen.stages].flatMap(([stage, { tip }]) => (tip === base ? [{ stage, tip }] : []));
}

type Stamp = { readonly at: string; readonly claim: string };

function eventsFor(record: StageRecord, found: Found, stamp: Stamp): RunEvent[] {
  const { attempt, events } = begun(record, found.base, stamp);
  const common = { at: stamp.at, stage: record.plan.id, attempt };
  if (found.kind === "merged")
    return [...events, { type: "stage-merged", ...common, commit: found.commit, merged: found.merged }];
  const { commit, base, files, stack } = found;
  return [
    ...events,
    { type: "attempt-committed", ...common, commit, base, ...namedFiles(files), stalled: false, stack },
    { type: "attempt-interrupted", ...common, reason: "stopped" },
  ];
}

/** Whatever the ledger last knew of the stage, from here on an attempt is under way. */
function begun(
  { plan, state, open, attempts }: StageRecord,
  base: Sha,
  { at, claim }: Stamp,
): { attempt: number; events: RunEvent[] } {
  if (state.kind === "executing") return { attempt: state.attempt, events: [] };
  const attempt = open ? attempts : attempts + 1;
  const common = { at, stage: plan.id, attempt };
  const events: RunEvent[] = [];
  if (state.kind !== "queued") events.push({ type: "stage-queued", ...common, notBefore: null });
  events.push(
    open
      ? { type: "attempt-resumed", ...common, claim }
      : { type: "attempt-started", ...common, claim, base },
  );
  return { attempt, events };
}
