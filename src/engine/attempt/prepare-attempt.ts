import { InternalError } from "../../core/errors.ts";
import type { Failure } from "../../core/failure/failure.ts";
import type { Sha } from "../../core/ids.ts";
import type { PromptContext } from "../../core/prompt/build-prompt.ts";
import { explainVerdict } from "../../core/report/terminal/verdict-report.ts";
import { failures } from "../../core/report/texts/failure-texts.ts";
import { type Run, stageOf } from "../../core/run/run.ts";
import type { Engine } from "../engine.ts";
import { runSessions } from "../session/run-sessions.ts";
import { failAttempt, keepWork } from "../session/settle-session.ts";
import { checkBefore } from "../verify/check-before.ts";
import { checkDeps } from "../verify/check-deps.ts";
import { assertHeld, type Claim, Superseded, writeHeld } from "./claim.ts";
import { Interrupted, throwIfInterrupted } from "./interrupted.ts";
import { nameRun } from "./name-run.ts";
import { type AttemptContext, restoreWork } from "./restore-work.ts";
import { runSetup } from "./run-setup.ts";

/** Lets the agent work in a tree of its own and makes a commit of what it leaves. True when there is one to prove. */
export async function prepareAttempt(engine: Engine, claim: Claim, abort: AbortSignal): Promise<boolean> {
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
  const home = await engine.openHome(claim.token);
  try {
    const prompts = engine.promptsFor(run);
    const attempt: AttemptContext = {
      engine,
      claim,
      run,
      plan,
      workspace,
      tree,
      base,
      home: home.path,
      prompts,
      abort,
    };
    const restored = await restoreWork(attempt);
    if (restored === "committed") return true;
    const setup = await runSetup(attempt, restored.content);
    if (setup) return await failAttempt(attempt, setup);
    throwIfInterrupted(abort);
    await nameRun(attempt);
    return await keepingWork(attempt, restored.context);
  } finally {
    await home.remove();
    await workspace.close(tree);
  }
}

async function keepingWork(attempt: AttemptContext, context: PromptContext): Promise<boolean> {
  try {
    return await runSessions(attempt, context);
  } catch (error) {
    // The machine failed, not the agent; the tree is lent anew in a moment, and its work would be gone.
    if (!(error instanceof Interrupted || error instanceof Superseded))
      await keepWork(attempt).catch(() => {});
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
  const { plan, attempts, firstAttempt, kept } = stageOf(run, claim.stage);
  if (plan.before.length === 0 || attempts > firstAttempt || kept) return null;
  const verdict = await checkBefore(checkDeps(engine, run, claim), {
    stage: plan,
    commit: base,
    projectRoot: engine.projectRoot,
    marker: claim.token,
    signal: abort,
  });
  if (verdict.outcome !== "failed") return null;
  const { message, evidence } = explainVerdict(verdict);
  return failures.preconditionFailed(message, evidence);
}
