import { messageOf } from "../../core/errors.ts";
import { auditSandbox } from "../attempt/audit-attempt.ts";
import type { Engine } from "../engine.ts";
import type { SessionRequest, SessionResult } from "./session-types.ts";
import { createSessionWatch } from "./watch-session.ts";

/**
 * One agent process from start to end. Crashed, hung, exhausted and finished are told apart by what ended the session
 * and by what its harness knows about it, never by what the agent claims.
 */
export async function runSession(engine: Engine, request: SessionRequest): Promise<SessionResult> {
  const { claim, session, prompt, harness } = request;
  const log = engine.files.openLog(claim.run, claim.stage, claim.attempt);
  try {
    const watch = createSessionWatch(engine, request, log);
    const running = harness.start({
      run: claim.run,
      stage: claim.stage,
      attempt: claim.attempt,
      session,
      marker: request.marker,
      tree: request.tree,
      prompt: prompt.text,
      rules: prompt.rules,
      task: prompt.task,
      promptFile: await engine.files.writePrompt(claim.run, session, prompt.text),
      home: request.home,
      ...(request.shows ? { shows: request.shows } : {}),
      model: request.model,
      effort: request.effort,
      resume: request.resume,
      tools: request.tools,
      temperature: request.temperature,
      maxTurns: request.maxTurns,
      ...(request.budgetUsd === undefined ? {} : { budgetUsd: request.budgetUsd }),
      sandboxSpec: { ...request.sandboxSpec, onRefused: auditSandbox(engine, claim, "agent") },
      judge: request.judge && watch.judge(request.judge),
    });
    try {
      return await watch.attend(running);
    } catch (error) {
      // Nobody listens any more, and the tree is about to be lent to somebody else.
      await running.stop(0).catch(() => {});
      throw error;
    }
  } finally {
    // The work counts, not what was said about it: a full disk must not throw it away.
    await log.close().catch((error: unknown) => {
      engine.feed({ kind: "notice", run: claim.run, text: messageOf(error) });
    });
  }
}
