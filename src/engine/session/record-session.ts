import { sandboxOf } from "../../core/plan/sandbox-rules.ts";
import { withExcluded } from "../../core/policy/excluded-commands.ts";
import { createJudge } from "../../core/policy/judge-command.ts";
import type { Judge } from "../../core/policy/judgement.ts";
import type { Prompt } from "../../core/prompt/build-prompt.ts";
import { stageOf } from "../../core/run/run.ts";
import { sandboxAccess } from "../../core/sandbox/sandbox-access.ts";
import { writeHeld } from "../attempt/claim.ts";
import type { AttemptContext } from "../attempt/restore-work.ts";
import type { ChosenAgent } from "./choose-agent.ts";
import { endStateOf } from "./end-state.ts";
import { runSession } from "./run-session.ts";
import { sandboxAt } from "./sandbox-at.ts";
import { turnsOf } from "./session-limits.ts";
import type { SessionRequest, SessionResult } from "./session-types.ts";

/** Decides over commands by the policy, the plan's own exclusions and what people have answered so far. */
export function judgeOf({ engine, claim, run, plan }: AttemptContext): Judge {
  const policy = withExcluded(engine.policy, sandboxOf(run.plan, plan).excludedCommands);
  return createJudge(policy, stageOf(run, claim.stage).dialogue);
}

type Turn = Pick<
  SessionRequest,
  "prompt" | "resume" | "tools" | "judge" | "contextBudget" | "ceilingSecs" | "stallSecs"
>;

/** One session with its beginning and its end in the ledger. */
export async function recordSession(
  attempt: AttemptContext,
  { harness, model, effort, profile }: ChosenAgent,
  about: Pick<Prompt, "metrics"> & { readonly type: Prompt["type"] | "follow-up" },
  turn: Turn,
): Promise<SessionResult> {
  const { engine, claim, run, plan, tree, home, abort } = attempt;
  const reading = { patterns: engine.patterns, workspace: attempt.workspace };
  const rules = await sandboxAt(reading, run.plan, plan, attempt.base);
  const session = `${claim.stage}-${claim.attempt}-${engine.newId().slice(0, 8)}`;
  await writeHeld(engine, claim, {
    type: "session-started",
    session,
    harness: harness.id,
    model: model ?? harness.model,
    prompt: about.type,
    prefixHash: about.metrics.prefixHash,
    promptTokens: about.metrics.tokens,
    marker: claim.token,
    tree: tree.path,
  });
  const result = await runSession(engine, {
    claim,
    harness,
    session,
    marker: claim.token,
    tree: tree.path,
    home,
    model,
    effort,
    temperature: profile?.temperature ?? null,
    maxTurns: turnsOf(attempt.run.settings, profile),
    sandboxSpec: sandboxAccess(rules, run.settings, "agent"),
    abort,
    ...turn,
  });
  await writeHeld(
    engine,
    claim,
    {
      type: "session-ended",
      session,
      state: endStateOf(result, "paused"),
      model: result.model,
      exitCode: result.exitCode,
      signal: result.exitSignal,
      durationMs: result.durationMs,
      usage: result.usage,
      context: result.context,
    },
    ...(result.deniedHosts.length > 0
      ? [{ type: "hosts-denied" as const, by: "agent" as const, hosts: [...result.deniedHosts] }]
      : []),
  );
  return result;
}
