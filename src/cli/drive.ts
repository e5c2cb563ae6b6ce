import { type DriveOutcome, driveRun } from "../../workers/drive-run.ts";
import { assertNever, UserError } from "../core/errors.ts";
import type { RunId } from "../core/ids.ts";
import type { RunEndStatus } from "../core/report/terminal/run-summary.ts";
import { startTexts } from "../core/report/texts/start-texts.ts";
import type { Run } from "../core/run/run.ts";
import type { FeedItem } from "../ports/feed.ts";
import { type Local, openLocal } from "../wiring/local.ts";
import type { PlanOfRun } from "../wiring/local-parts.ts";
import type { Profile } from "../wiring/profile.ts";
import { type Io, warn } from "./io.ts";
import { INTERRUPTED, listenForStop } from "./listen-for-stop.ts";
import { archiveRun, tidy } from "./local-runs.ts";
import { chooseOutput } from "./output/choose-output.ts";
import type { RunOutput } from "./output/run-output.ts";

/** An open repository with somebody watching: what happens from `watch` on is shown. */
export type Stage = {
  readonly local: Local;
  readonly output: RunOutput;
  readonly watch: () => void;
  readonly profile: Profile | null;
};

/** Who starts nobody is not to be stopped by what agents would need; who may have to finds that out before. */
export type Starts = "agents" | "agents-perhaps" | "nobody";

/** Opens the repository and the output, and closes both whatever happens. */
export async function onStage(
  io: Io,
  options: { readonly json: boolean; readonly starts: Starts },
  act: (stage: Stage) => Promise<number>,
): Promise<number> {
  const output = chooseOutput({ stream: io.stdout, json: options.json, env: io.env });
  // What lies in the ledger already is history; only what happens from now on is news.
  let watching = false;
  const profile = io.env.LOOM_PROFILE ? await startProfile(io) : null;
  const feed = (item: FeedItem): void => {
    if (!watching) return;
    profile?.see(item);
    output.show(item);
  };
  try {
    const { starts } = options;
    const local = await openLocal({
      cwd: io.cwd,
      env: io.env,
      feed,
      runsAgents: starts !== "nobody",
      ...(starts === "agents-perhaps" ? { ownAgents: "if-usable" } : {}),
    });
    try {
      return await act({
        local,
        output,
        watch: () => {
          watching = true;
        },
        profile,
      });
    } finally {
      await local.close();
    }
  } finally {
    output.close();
    if (profile) warn(io, await profile.close());
  }
}

/** Loaded when asked for. */
async function startProfile(io: Io): Promise<Profile | null> {
  return (await import("../wiring/profile.ts")).openProfile(io.env, io.cwd);
}

/** Said wherever agents are about to be started, and only there: who just looks is in no danger. */
export function warnBeforeAgents({ local, output }: Stage, run: PlanOfRun): void {
  const { warning, next } = local.engine.sandboxes.report;
  if (warning !== null) output.note(next === null ? warning : `${warning} ${next}`);
  for (const text of aboutPrompts(local, run)) output.note(text);
}

/** Nobody works by words of a repository without knowing. */
export function aboutPrompts(local: Local, run: PlanOfRun): string[] {
  const { folder, used, refused } = local.agents.replacedPrompts(run);
  return [
    ...(used.length > 0 ? [startTexts.promptsReplaced(folder, used)] : []),
    ...(refused.length > 0 ? [startTexts.rulesKept(folder, refused)] : []),
  ];
}

/** Takes the run's lease for as long as `act` takes. */
export async function withLease<T>(local: Local, run: RunId, act: () => Promise<T>): Promise<T> {
  const lease = await local.lease.acquire(run);
  if (lease.kind === "held") {
    throw new UserError(startTexts.beingDriven(run, lease.pid), { next: startTexts.beingDrivenNext(run) });
  }
  try {
    return await act();
  } finally {
    await lease.release();
  }
}

/** Drives the run to its end, or to where only a person can go on, and says how it went. */
export async function drive({ local, output, profile }: Stage, id: RunId): Promise<number> {
  const started = Date.now();
  const stop = listenForStop({
    first() {
      output.note(startTexts.stopping());
      local.hurry();
    },
    second: () => output.close(),
  });
  try {
    const { engine } = local;
    const watched = profile ? { ...engine, queue: profile.watchJobs(engine.queue) } : engine;
    const outcome = await driveRun(watched, id, stop.signal);
    await tidy(local, outcome.run);
    const run = await archived(local, outcome.run);
    output.finish({ run, status: statusOf(outcome), elapsedMs: elapsed(run, started) });
    if (!stop.signal.aborted) await local.disk.sweep();
    return exitCodeOf(outcome);
  } finally {
    stop.close();
  }
}

/** LOOM_AUTO_ARCHIVE: once all is merged and recorded, nothing is left to do for it. */
async function archived(local: Local, run: Run): Promise<Run> {
  if (!run.settings.autoArchive || run.status !== "completed" || run.recorded === null) return run;
  await archiveRun(local, run, "Loom");
  return local.engine.runs.get(run.id);
}

/** How a completed run that needed nothing more is shown to a program, which reads the last line whatever happened. */
export function endOf(run: Run): { run: Run; status: "completed"; elapsedMs: number } {
  return { run, status: "completed", elapsedMs: elapsed(run, Date.parse(run.createdAt)) };
}

function elapsed(run: Run, started: number): number {
  return run.finishedAt
    ? Date.parse(run.finishedAt) - Math.min(Date.parse(run.createdAt), started)
    : Date.now() - started;
}

function statusOf(outcome: DriveOutcome): RunEndStatus {
  if (outcome.kind !== "finished") return outcome.kind;
  return outcome.run.status === "running" ? "waiting" : outcome.run.status;
}

function exitCodeOf(outcome: DriveOutcome): number {
  switch (outcome.kind) {
    case "finished":
      return outcome.run.status === "completed" ? 0 : 1;
    case "waiting":
      return 1;
    case "interrupted":
      return INTERRUPTED;
    default:
      return assertNever(outcome);
  }
}
