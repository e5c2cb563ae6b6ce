import { assertNever } from "../../core/errors.ts";
import type { Failure } from "../../core/failure/failure.ts";
import type { Sha } from "../../core/ids.ts";
import { isReadOnly } from "../../core/plan/agent-profile.ts";
import { mayChangeNothing } from "../../core/plan/plan.ts";
import type { PromptContext } from "../../core/prompt/build-prompt.ts";
import { auditTexts } from "../../core/report/audit/audit-texts.ts";
import { failures } from "../../core/report/texts/failure-texts.ts";
import { reportTexts } from "../../core/report/texts/report-texts.ts";
import { namedFiles } from "../../core/run/named-files.ts";
import type { CommitOutcome, CommitSpec } from "../../ports/workspace.ts";
import { auditImport } from "../attempt/audit-attempt.ts";
import { writeHeld } from "../attempt/claim.ts";
import { Interrupted } from "../attempt/interrupted.ts";
import type { AttemptContext } from "../attempt/restore-work.ts";
import { commitBasics, type LeftWork, reportCrash, saveWork } from "../attempt/save-work.ts";
import { commitInLine } from "../run/stand-in-line.ts";
import type { ChosenAgent } from "./choose-agent.ts";
import { explainAgentFailure } from "./explain-agent-failure.ts";
import { ceilingOf } from "./session-limits.ts";
import type { SessionResult } from "./session-types.ts";
import { writeSubject } from "./write-subject.ts";

/** Turns the way the session ended, and the tree it left, into the next event. True when there is a commit to prove. */
export async function settleSession(
  attempt: AttemptContext,
  chosen: ChosenAgent,
  context: PromptContext,
  result: SessionResult,
): Promise<boolean> {
  const { engine, claim, run, plan } = attempt;
  const { outcome, tail } = result;
  switch (outcome.kind) {
    case "finished":
      return takeWork(attempt, chosen, context, false, failures.noChange());
    case "stalled": {
      const window = plan.noProgressSecs ?? run.settings.noProgressSecs;
      return takeWork(attempt, chosen, context, true, failures.stalled(window, tail));
    }
    case "asked":
      await keepWork(attempt);
      await writeHeld(engine, claim, { type: "input-requested", question: outcome.question });
      return false;
    case "failed": {
      const { code, failure } = outcome;
      const told = explainAgentFailure(chosen.harness.id, code, failure, tail);
      return failure?.kind === "cut-off"
        ? failCrashed(attempt, told, "it ended without a word about how it went", tail)
        : failAttempt(attempt, told);
    }
    case "crashed": {
      const { signal } = outcome;
      return failCrashed(attempt, failures.crashed(signal, tail), `it was ended by ${signal}`, tail);
    }
    case "timed-out":
      return failAttempt(attempt, outOfTime(attempt, chosen, tail));
    case "not-started":
      return failAttempt(attempt, failures.notStarted(chosen.harness.id, outcome.reason));
    case "exhausted":
    case "aborted":
      await keepWork(attempt);
      throw new Interrupted();
    default:
      return assertNever(outcome);
  }
}

function outOfTime(attempt: AttemptContext, { profile }: ChosenAgent, tail: string): Failure {
  const secs = ceilingOf(attempt, profile);
  const isItsOwn = profile !== null && secs < ceilingOf(attempt, null);
  return failures.timedOut(secs, isItsOwn ? profile.name : null, tail);
}

async function takeWork(
  attempt: AttemptContext,
  chosen: ChosenAgent,
  context: PromptContext,
  stalled: boolean,
  whenUnchanged: Failure,
): Promise<boolean> {
  const { engine, claim, plan, workspace, tree, base } = attempt;
  const spec = {
    ...commitBasics(left(attempt)),
    onForbidden: "refuse" as const,
    // A stalled session that changed nothing has shown nothing, whatever its type.
    allowEmpty: mayChangeNothing(plan) && !stalled,
    resolving: context.conflict?.files ?? [],
  };
  const outcome = await commitTree(attempt, chosen, spec);
  switch (outcome.kind) {
    case "committed": {
      const message = stalled ? null : await writeSubject(attempt, chosen, outcome.commit, outcome.files);
      const named = message === null ? outcome : await workspace.commit(tree, { ...spec, message });
      const { commit, files } = named.kind === "committed" ? named : outcome;
      await commitInLine(engine, claim, { commit, base }, { ...namedFiles(files), stalled });
      return true;
    }
    case "unchanged":
      return failAttempt(attempt, whenUnchanged);
    case "refused": {
      auditImport(engine, claim, outcome.findings);
      const marked = outcome.findings.filter((one) => one.rule === "conflict-markers");
      const other = outcome.findings.filter((one) => one.rule !== "conflict-markers");
      return failAttempt(
        attempt,
        other.length > 0 ? failures.refused(other) : failures.markersLeft(marked.map((one) => one.path)),
      );
    }
    default:
      return assertNever(outcome);
  }
}

/** Where sandbox or tools did not keep an agent that may only read from writing, its changes are put back, and that is said. */
async function commitTree(
  { engine, claim, workspace, tree, base }: AttemptContext,
  { profile }: ChosenAgent,
  spec: CommitSpec,
): Promise<CommitOutcome> {
  const outcome = await workspace.commit(tree, spec);
  const isTouched = outcome.kind === "refused" || (outcome.kind === "committed" && outcome.files.length > 0);
  if (!profile || !isReadOnly(profile) || !isTouched) return outcome;
  if (outcome.kind === "refused") auditImport(engine, claim, outcome.findings);
  const { run, stage } = claim;
  const what = auditTexts.readOnlyAgent(profile.name);
  engine.audit.refused({ boundary: "import", rule: "read-only", run, stage, who: "agent", what });
  await workspace.fill(tree, base);
  await writeHeld(engine, claim, { type: "attempt-warned", text: reportTexts.putBack(profile.name) });
  return workspace.commit(tree, spec);
}

async function failCrashed(
  attempt: AttemptContext,
  failure: Failure,
  how: string,
  tail: string,
): Promise<false> {
  await reportCrash(attempt.engine, left(attempt), { saved: await keepWork(attempt), how, tail });
  await writeHeld(attempt.engine, attempt.claim, { type: "attempt-failed", failure, verdict: null });
  return false;
}

export async function failAttempt(attempt: AttemptContext, failure: Failure): Promise<false> {
  await keepWork(attempt);
  await writeHeld(attempt.engine, attempt.claim, { type: "attempt-failed", failure, verdict: null });
  return false;
}

/** Nothing an agent did is lost: the next session finds it. */
export async function keepWork(attempt: AttemptContext): Promise<Sha | null> {
  const saved = await saveWork(attempt.engine, left(attempt));
  if (saved)
    await writeHeld(attempt.engine, attempt.claim, { type: "work-kept", commit: saved, base: attempt.base });
  return saved;
}

function left({ run, plan, claim, tree, base }: AttemptContext): LeftWork {
  return { run, plan, attempt: claim.attempt, tree, base };
}
