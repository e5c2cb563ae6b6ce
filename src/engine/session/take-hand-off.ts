import type { PromptContext } from "../../core/prompt/build-prompt.ts";
import { failures } from "../../core/report/texts/failure-texts.ts";
import { stageOf } from "../../core/run/run.ts";
import { composeHandOff } from "../../core/session/compose-hand-off.ts";
import { type HandOff, parseHandOff, renderHandOff } from "../../core/session/hand-off.ts";
import { askForHandOff } from "../../core/session/session-requests.ts";
import { assertHeld, writeHeld } from "../attempt/claim.ts";
import type { AttemptContext } from "../attempt/restore-work.ts";
import { visibleDiff } from "../attempt/visible-diff.ts";
import { askOn } from "./ask-on.ts";
import type { ChosenAgent } from "./choose-agent.ts";
import type { SessionResult } from "./session-types.ts";
import { failAttempt, keepWork } from "./settle-session.ts";

/** A stage that needs more sessions than this is too large for one stage. */
export const MAX_HAND_OFFS = 5;

/**
 * After a session that used up its context: what the next one has to know. The agent is asked for it while there is room
 * left in its conversation; where it can't be asked, or says nothing of use, Loom writes the document from what it saw.
 * null: the stage does not fit, which only a person can fix.
 */
export async function takeHandOff(
  attempt: AttemptContext,
  chosen: ChosenAgent,
  context: PromptContext,
  result: SessionResult,
): Promise<PromptContext | null> {
  const { engine, claim, plan, base } = attempt;
  const overflow = result.outcome.kind === "exhausted" && result.outcome.overflow;
  const { handOffs } = stageOf(await assertHeld(engine, claim), claim.stage);
  if (handOffs >= MAX_HAND_OFFS || (overflow && !result.usedTools)) {
    await failAttempt(attempt, failures.contextOverflow(handOffs, plan.contextBudget, result.tail));
    return null;
  }
  // Before the agent is asked: what it does while it writes the document is not to count.
  const saved = await keepWork(attempt);
  const diff = saved ? await visibleDiff(attempt, base, saved) : "";
  const asked = overflow ? null : await askForIt(attempt, chosen, result);
  const handOff =
    asked ??
    composeHandOff({
      session: result.session,
      stage: claim.stage,
      contextPercent: overflow ? 100 : percentOf(result),
      events: result.notes,
      diff,
      lastText: result.text,
    });
  const document = renderHandOff(handOff);
  const { session } = result;
  await writeHeld(engine, claim, { type: "handed-off", session, by: handOff.by, document });
  await engine.files.writeReport(
    claim.run,
    `hand-off-${claim.stage}-${claim.attempt}-${handOffs + 1}`,
    document,
  );
  return {
    ...context,
    kind: context.conflict ? "merge-conflict" : "hand-off",
    changedSoFar: context.conflict ? null : diff,
    handOff,
  };
}

async function askForIt(
  attempt: AttemptContext,
  chosen: ChosenAgent,
  result: SessionResult,
): Promise<HandOff | null> {
  const { stage } = attempt.claim;
  const contextPercent = percentOf(result);
  const request = askForHandOff(attempt.prompts.sessions.handOffRequest, {
    session: result.session,
    stage,
    contextPercent,
  });
  const answer = await askOn(attempt, chosen, result.resume, request, { mayWork: false });
  const parsed = answer.kind === "said" ? parseHandOff(answer.text) : null;
  return parsed && { ...parsed, sessionId: result.session, stageId: stage, contextPercent, by: "agent" };
}

function percentOf({ context }: SessionResult): number {
  return context ? Math.round((context.used / context.window) * 100) : 0;
}
