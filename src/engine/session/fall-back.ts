import { chooseAvailable } from "../../core/config/fallback.ts";
import type { PromptContext } from "../../core/prompt/build-prompt.ts";
import { failures } from "../../core/report/texts/failure-texts.ts";
import type { AgentFailure } from "../../core/session/agent-failure.ts";
import { assertHeld, writeHeld } from "../attempt/claim.ts";
import type { AttemptContext } from "../attempt/restore-work.ts";
import { visibleDiff } from "../attempt/visible-diff.ts";
import type { ChosenAgent } from "./choose-agent.ts";
import { failAttempt, keepWork } from "./settle-session.ts";

/** So long a provider that names no time is left alone. */
const QUOTA_PAUSE_MS = 600_000;

/**
 * After a session whose provider has had enough: the next harness in the order goes on in the same tree. null: there is
 * none that could, and the attempt is to be made again when the first of them is back. `tried` holds those that ran out
 * in this attempt, so that two providers with short limits can't pass a stage to and fro.
 */
export async function fallBack(
  attempt: AttemptContext,
  { harness, order }: ChosenAgent,
  context: PromptContext,
  failure: AgentFailure,
  tail: string,
  tried: Set<string>,
): Promise<PromptContext | null> {
  const { engine, claim, base } = attempt;
  const until = failure.resetsAt ?? engine.now() + QUOTA_PAUSE_MS;
  await writeHeld(engine, claim, { type: "harness-exhausted", harness: harness.id, until });
  tried.add(harness.id);
  const { exhausted } = await assertHeld(engine, claim);
  const next = chooseAvailable(order, exhausted, engine.now());
  if (next.until !== null || tried.has(next.harness)) {
    const told = failures.quota(harness.id, failure.message, tail);
    await failAttempt(attempt, { ...told, retryAt: next.until ?? until });
    return null;
  }
  const saved = await keepWork(attempt);
  if (saved === null || context.conflict) return context;
  const changedSoFar = await visibleDiff(attempt, base, saved);
  return { ...context, kind: context.handOff ? "hand-off" : "recovery", changedSoFar };
}
