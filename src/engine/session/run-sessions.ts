import { DEFAULTS } from "../../core/config/defaults.ts";
import { buildPrompt, type PromptContext } from "../../core/prompt/build-prompt.ts";
import { skillsFor } from "../../core/prompt/skills-for.ts";
import { sessionLines } from "../../core/report/terminal/session-lines.ts";
import { assertHeld } from "../attempt/claim.ts";
import type { AttemptContext } from "../attempt/restore-work.ts";
import { type ChosenAgent, chooseAgent } from "./choose-agent.ts";
import { fallBack } from "./fall-back.ts";
import { hearReport } from "./hear-report.ts";
import { judgeOf, recordSession } from "./record-session.ts";
import { ceilingOf, toolsOf } from "./session-limits.ts";
import type { SessionResult } from "./session-types.ts";
import { settleSession } from "./settle-session.ts";
import { takeHandOff } from "./take-hand-off.ts";

/**
 * Sessions of one attempt, one after the other in the same tree, until one of them ends in something else than a
 * hand-off or a provider's limit. What a session left is in the tree and, from each hand-off on, in git as well.
 */
export async function runSessions(attempt: AttemptContext, first: PromptContext): Promise<boolean> {
  const outOfQuota = new Set<string>();
  let context = first;
  for (;;) {
    const chosen = await chooseAgent(attempt, context.kind);
    const result = await startSession(attempt, chosen, context);
    const { outcome, tail } = result;
    if (outcome.kind === "exhausted") {
      const next = await takeHandOff(attempt, chosen, context, result);
      if (next === null) return false;
      context = next;
      continue;
    }
    if (outcome.kind === "failed" && outcome.failure?.kind === "quota") {
      const next = await fallBack(attempt, chosen, context, outcome.failure, tail, outOfQuota);
      if (next === null) return false;
      context = next;
      continue;
    }
    if (outcome.kind === "finished" && !(await hearReport(attempt, chosen, result))) return false;
    return settleSession(attempt, chosen, context, result);
  }
}

async function startSession(
  attempt: AttemptContext,
  chosen: ChosenAgent,
  context: PromptContext,
): Promise<SessionResult> {
  const { engine, claim, plan } = attempt;
  await restoreConfig(attempt);
  const run = await assertHeld(engine, claim);
  const { profile } = chosen;
  const told: PromptContext = {
    ...context,
    contract: run.settings.contract ?? DEFAULTS.contract,
    agent: profile,
    skills: skillsFor(plan, context.kind, profile).flatMap((name) => engine.roster.skills.get(name) ?? []),
  };
  const prompt = buildPrompt(attempt.prompts, run, claim.stage, told, engine.hash);
  return recordSession(attempt, chosen, prompt, {
    prompt,
    resume: null,
    tools: toolsOf(profile),
    judge: judgeOf(attempt),
    contextBudget: plan.contextBudget,
    ceilingSecs: ceilingOf(attempt, profile),
    stallSecs: plan.noProgressSecs ?? run.settings.noProgressSecs,
  });
}

/**
 * Also between two sessions of one attempt: what the first one planted must not steer the second (T8). A question that is
 * asked on in a conversation leaves the tree as it is, so that what was planted is refused and not quietly gone.
 */
async function restoreConfig({ engine, claim, workspace, tree, base }: AttemptContext): Promise<void> {
  const restored = await workspace.restoreConfig(tree, base);
  if (restored.length === 0) return;
  const log = engine.files.openLog(claim.run, claim.stage, claim.attempt);
  log.write(sessionLines.restored(restored));
  await log.close().catch(() => {});
}
