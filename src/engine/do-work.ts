import { assertNever, InternalError } from "../core/errors.ts";
import type { Failure } from "../core/failure/failure.ts";
import type { Sha } from "../core/ids.ts";
import { mayChangeNothing } from "../core/plan/plan.ts";
import { failures } from "../core/report/failure-texts.ts";
import { explainFailure } from "../core/report/verdict-report.ts";
import { type Run, stageOf } from "../core/run/run.ts";
import { buildSignal, type SignalContext } from "../core/signal/build-signal.ts";
import { checkBefore } from "./check-before.ts";
import { assertHeld, type Claim, Superseded, writeHeld } from "./claim.ts";
import type { Engine } from "./engine.ts";
import { Interrupted, throwIfInterrupted } from "./interrupted.ts";
import { type Desk, layOut } from "./lay-out.ts";
import { runSession, type SessionResult } from "./run-session.ts";
import { runSetup } from "./run-setup.ts";
import { commitBasics, type LeftWork, reportCrash, saveWork } from "./save-work.ts";

/** Lets the agent work in a tree of its own and makes a commit of what it leaves. True when there is one to prove. */
export async function doWork(engine: Engine, claim: Claim, abort: AbortSignal): Promise<boolean> {
  const run = await assertHeld(engine, claim);
  const { base, plan } = stageOf(run, claim.stage);
  if (base === null) throw new InternalError(`attempt ${claim.attempt} of ${claim.stage} has no base`);
  const failure = await prepare(engine, run, claim, base, abort);
  if (failure) {
    await writeHeld(engine, claim, { type: "attempt-failed", failure, verdict: null });
    return false;
  }
  const workspace = engine.workspaceFor(run);
  const tree = await workspace.open(base);
  try {
    const desk: Desk = { engine, claim, run, plan, workspace, tree, base };
    const context = await layOut(desk);
    if (context === "committed") return true;
    const setup = await runSetup(engine, { plan, tree: tree.path, marker: claim.token, abort });
    if (setup) return await fail(desk, setup);
    throwIfInterrupted(abort);
    return await haveItDone(desk, context, abort);
  } finally {
    await workspace.close(tree);
  }
}

async function haveItDone(desk: Desk, context: SignalContext, abort: AbortSignal): Promise<boolean> {
  try {
    return await settle(desk, context, await startSession(desk, context, abort));
  } catch (error) {
    // The machine failed, not the agent; the tree is lent anew in a moment, and its work would be gone.
    if (!(error instanceof Interrupted || error instanceof Superseded)) await keepWork(desk).catch(() => {});
    throw error;
  }
}

async function prepare(
  engine: Engine,
  run: Run,
  claim: Claim,
  base: Sha,
  abort: AbortSignal,
): Promise<Failure | null> {
  const { plan, attempts, kept } = stageOf(run, claim.stage);
  if (plan.before.length === 0 || attempts > 1 || kept) return null;
  const verdict = await checkBefore(
    {
      workspace: engine.workspaceFor(run),
      sandbox: engine.sandbox,
      patterns: engine.patterns,
      env: engine.commandEnv,
    },
    { stage: plan, commit: base, projectRoot: engine.projectRoot, marker: claim.token, signal: abort },
  );
  if (verdict.outcome !== "failed") return null;
  const { message, evidence } = explainFailure(verdict);
  return failures.preconditionFailed(message, evidence);
}

async function startSession(desk: Desk, context: SignalContext, abort: AbortSignal): Promise<SessionResult> {
  const { engine, claim, run, plan, tree } = desk;
  const harness = engine.harness(harnessOf(desk));
  const session = `${claim.stage}-${claim.attempt}-${engine.newId().slice(0, 8)}`;
  await writeHeld(engine, claim, {
    type: "session-started",
    session,
    harness: harness.id,
    signal: context.kind,
    marker: claim.token,
    tree: tree.path,
  });
  const result = await runSession(engine, {
    claim,
    harness,
    session,
    marker: claim.token,
    tree: tree.path,
    signal: buildSignal(engine.signalTexts, run, claim.stage, context),
    model: plan.model,
    effort: plan.effort,
    ceilingSecs: plan.timeoutSecs ?? run.settings.timeoutSecs,
    stallSecs: plan.noProgressSecs ?? run.settings.noProgressSecs,
    abort,
  });
  await writeHeld(engine, claim, {
    type: "session-ended",
    session,
    state: result.outcome.kind === "finished" || result.outcome.kind === "asked" ? "completed" : "crashed",
    exitCode: result.exitCode,
    signal: result.exitSignal,
    durationMs: result.durationMs,
    usage: result.usage,
  });
  return result;
}

function harnessOf({ run, plan }: Desk): string {
  return run.settings.harnessWins ? run.settings.harness : (plan.harness ?? run.settings.harness);
}

/** Turns the way the session ended, and the tree it left, into the next event. */
async function settle(desk: Desk, context: SignalContext, result: SessionResult): Promise<boolean> {
  const { engine, claim, run, plan } = desk;
  const { outcome, tail } = result;
  switch (outcome.kind) {
    case "finished":
      return takeWork(desk, context, false, failures.noChange());
    case "stalled":
      return takeWork(
        desk,
        context,
        true,
        failures.stalled(plan.noProgressSecs ?? run.settings.noProgressSecs, tail),
      );
    case "asked":
      await keepWork(desk);
      await writeHeld(engine, claim, { type: "input-requested", question: outcome.question });
      return false;
    case "failed":
      return fail(desk, failures.agentFailed(outcome.code, tail));
    case "transient":
      return fail(desk, failures.transient(outcome.reason, tail));
    case "crashed":
      await reportCrash(engine, left(desk), {
        saved: await saveWork(engine, left(desk)),
        how: `it was ended by ${outcome.signal}`,
        tail,
      });
      return fail(desk, failures.crashed(outcome.signal, tail));
    case "timed-out":
      return fail(desk, failures.timedOut(plan.timeoutSecs ?? run.settings.timeoutSecs, tail));
    case "not-started":
      return fail(desk, failures.notStarted(harnessOf(desk), outcome.reason));
    case "aborted":
      await keepWork(desk);
      throw new Interrupted();
    default:
      return assertNever(outcome);
  }
}

async function takeWork(
  desk: Desk,
  context: SignalContext,
  stalled: boolean,
  whenUnchanged: Failure,
): Promise<boolean> {
  const { engine, claim, plan, workspace, tree, base } = desk;
  const outcome = await workspace.commit(tree, {
    ...commitBasics(left(desk)),
    onForbidden: "refuse",
    // A stalled session that changed nothing has shown nothing, whatever its type.
    allowEmpty: mayChangeNothing(plan) && !stalled,
    resolving: context.conflict?.files ?? [],
  });
  switch (outcome.kind) {
    case "committed":
      await writeHeld(engine, claim, {
        type: "attempt-committed",
        commit: outcome.commit,
        base,
        files: [...outcome.files],
        stalled,
      });
      return true;
    case "unchanged":
      return fail(desk, whenUnchanged);
    case "refused": {
      const marked = outcome.findings.filter((one) => one.rule === "conflict-markers");
      const other = outcome.findings.filter((one) => one.rule !== "conflict-markers");
      return fail(
        desk,
        other.length > 0 ? failures.refused(other) : failures.markersLeft(marked.map((one) => one.path)),
      );
    }
    default:
      return assertNever(outcome);
  }
}

async function fail(desk: Desk, failure: Failure): Promise<false> {
  await keepWork(desk);
  await writeHeld(desk.engine, desk.claim, { type: "attempt-failed", failure, verdict: null });
  return false;
}

/** Nothing an agent did is lost: the next session finds it. */
async function keepWork(desk: Desk): Promise<Sha | null> {
  const saved = await saveWork(desk.engine, left(desk));
  if (saved) await writeHeld(desk.engine, desk.claim, { type: "work-kept", commit: saved, base: desk.base });
  return saved;
}

function left({ run, plan, claim, tree, base }: Desk): LeftWork {
  return { run, plan, attempt: claim.attempt, tree, base };
}
