import { assertNever } from "../core/errors.ts";
import type { Failure } from "../core/failure/failure.ts";
import type { Sha } from "../core/ids.ts";
import { mayChangeNothing } from "../core/plan/plan.ts";
import type { PromptContext } from "../core/prompt/build-prompt.ts";
import { auditTexts } from "../core/report/audit-texts.ts";
import { failures } from "../core/report/failure-texts.ts";
import { reportTexts } from "../core/report/report-texts.ts";
import { isReadOnly } from "../core/roster/agent-profile.ts";
import { namedFiles } from "../core/run/named-files.ts";
import type { CommitOutcome, CommitSpec } from "../ports/workspace.ts";
import { auditImport } from "./audit-attempt.ts";
import type { ChosenAgent } from "./choose-agent.ts";
import { writeHeld } from "./claim.ts";
import { explainFailure } from "./explain-failure.ts";
import { Interrupted } from "./interrupted.ts";
import type { Desk } from "./lay-out.ts";
import { commitBasics, type LeftWork, reportCrash, saveWork } from "./save-work.ts";
import { ceilingOf } from "./session-limits.ts";
import type { SessionResult } from "./session-types.ts";
import { commitInLine } from "./stand-in-line.ts";
import { writeSubject } from "./write-subject.ts";

/** Turns the way the session ended, and the tree it left, into the next event. True when there is a commit to prove. */
export async function settleSession(
  desk: Desk,
  chosen: ChosenAgent,
  context: PromptContext,
  result: SessionResult,
): Promise<boolean> {
  const { engine, claim, run, plan } = desk;
  const { outcome, tail } = result;
  switch (outcome.kind) {
    case "finished":
      return takeWork(desk, chosen, context, false, failures.noChange());
    case "stalled": {
      const window = plan.noProgressSecs ?? run.settings.noProgressSecs;
      return takeWork(desk, chosen, context, true, failures.stalled(window, tail));
    }
    case "asked":
      await keepWork(desk);
      await writeHeld(engine, claim, { type: "input-requested", question: outcome.question });
      return false;
    case "failed": {
      const { code, failure } = outcome;
      const told = explainFailure(chosen.harness.id, code, failure, tail);
      return failure?.kind === "cut-off"
        ? failCrashed(desk, told, "it ended without a word about how it went", tail)
        : failAttempt(desk, told);
    }
    case "crashed": {
      const { signal } = outcome;
      return failCrashed(desk, failures.crashed(signal, tail), `it was ended by ${signal}`, tail);
    }
    case "timed-out":
      return failAttempt(desk, outOfTime(desk, chosen, tail));
    case "not-started":
      return failAttempt(desk, failures.notStarted(chosen.harness.id, outcome.reason));
    case "exhausted":
    case "aborted":
      await keepWork(desk);
      throw new Interrupted();
    default:
      return assertNever(outcome);
  }
}

function outOfTime(desk: Desk, { profile }: ChosenAgent, tail: string): Failure {
  const secs = ceilingOf(desk, profile);
  const isItsOwn = profile !== null && secs < ceilingOf(desk, null);
  return failures.timedOut(secs, isItsOwn ? profile.name : null, tail);
}

async function takeWork(
  desk: Desk,
  chosen: ChosenAgent,
  context: PromptContext,
  stalled: boolean,
  whenUnchanged: Failure,
): Promise<boolean> {
  const { engine, claim, plan, workspace, tree, base } = desk;
  const spec = {
    ...commitBasics(left(desk)),
    onForbidden: "refuse" as const,
    // A stalled session that changed nothing has shown nothing, whatever its type.
    allowEmpty: mayChangeNothing(plan) && !stalled,
    resolving: context.conflict?.files ?? [],
  };
  const outcome = await commitTree(desk, chosen, spec);
  switch (outcome.kind) {
    case "committed": {
      const message = stalled ? null : await writeSubject(desk, chosen, outcome.commit, outcome.files);
      const named = message === null ? outcome : await workspace.commit(tree, { ...spec, message });
      const { commit, files } = named.kind === "committed" ? named : outcome;
      await commitInLine(engine, claim, { commit, base }, { ...namedFiles(files), stalled });
      return true;
    }
    case "unchanged":
      return failAttempt(desk, whenUnchanged);
    case "refused": {
      auditImport(engine, claim, outcome.findings);
      const marked = outcome.findings.filter((one) => one.rule === "conflict-markers");
      const other = outcome.findings.filter((one) => one.rule !== "conflict-markers");
      return failAttempt(
        desk,
        other.length > 0 ? failures.refused(other) : failures.markersLeft(marked.map((one) => one.path)),
      );
    }
    default:
      return assertNever(outcome);
  }
}

/** Where walls or tools did not keep an agent that may only read from writing, its changes are put back, and that is said. */
async function commitTree(
  { engine, claim, workspace, tree, base }: Desk,
  { profile }: ChosenAgent,
  spec: CommitSpec,
): Promise<CommitOutcome> {
  const outcome = await workspace.commit(tree, spec);
  const isTouched = outcome.kind === "refused" || (outcome.kind === "committed" && outcome.files.length > 0);
  if (!profile || !isReadOnly(profile) || !isTouched) return outcome;
  if (outcome.kind === "refused") auditImport(engine, claim, outcome.findings);
  const { run, stage } = claim;
  const what = auditTexts.readOnlyAgent(profile.name);
  engine.audit.refused({ wall: "import", rule: "read-only", run, stage, who: "agent", what });
  await workspace.fill(tree, base);
  await writeHeld(engine, claim, { type: "attempt-warned", text: reportTexts.putBack(profile.name) });
  return workspace.commit(tree, spec);
}

async function failCrashed(desk: Desk, failure: Failure, how: string, tail: string): Promise<false> {
  await reportCrash(desk.engine, left(desk), { saved: await keepWork(desk), how, tail });
  await writeHeld(desk.engine, desk.claim, { type: "attempt-failed", failure, verdict: null });
  return false;
}

export async function failAttempt(desk: Desk, failure: Failure): Promise<false> {
  await keepWork(desk);
  await writeHeld(desk.engine, desk.claim, { type: "attempt-failed", failure, verdict: null });
  return false;
}

/** Nothing an agent did is lost: the next session finds it. */
export async function keepWork(desk: Desk): Promise<Sha | null> {
  const saved = await saveWork(desk.engine, left(desk));
  if (saved) await writeHeld(desk.engine, desk.claim, { type: "work-kept", commit: saved, base: desk.base });
  return saved;
}

function left({ run, plan, claim, tree, base }: Desk): LeftWork {
  return { run, plan, attempt: claim.attempt, tree, base };
}
