import { addUsage, type Usage } from "../../core/budget/usage.ts";
import { sandboxOf } from "../../core/plan/sandbox-rules.ts";
import { sandboxAccess } from "../../core/sandbox/sandbox-access.ts";
import type { Harness } from "../../ports/harness.ts";
import { Superseded, writeHeld } from "../attempt/claim.ts";
import { Interrupted, throwIfInterrupted } from "../attempt/interrupted.ts";
import type { AttemptContext } from "../attempt/restore-work.ts";
import { chooseSmall, type SmallModel } from "./choose-agent.ts";

const CEILING_MS = 90_000;
const GRACE_MS = 1_000;

/**
 * One short question to the cheap model, without tools and away from the work. An answer is never worth a failure:
 * whatever goes wrong, there just is none.
 */
export async function askSmallModel(
  attempt: AttemptContext,
  beside: Harness,
  question: string,
): Promise<string | null> {
  throwIfInterrupted(attempt.abort);
  const small = chooseSmall(attempt, beside);
  if (small === null) return null;
  try {
    return await ask(attempt, small, question);
  } catch (error) {
    if (error instanceof Superseded || error instanceof Interrupted) throw error;
    return null;
  }
}

async function ask(
  attempt: AttemptContext,
  { harness, model }: SmallModel,
  question: string,
): Promise<string | null> {
  const { engine, claim, run, plan, abort } = attempt;
  const home = await engine.openHome(`${claim.token}-small`);
  try {
    const session = `${claim.stage}-${claim.attempt}-${engine.newId().slice(0, 8)}`;
    const running = harness.start({
      run: claim.run,
      stage: claim.stage,
      attempt: claim.attempt,
      session,
      marker: claim.token,
      tree: home.empty,
      prompt: question,
      rules: "",
      task: question,
      promptFile: "",
      home: home.path,
      model,
      effort: "low",
      resume: null,
      tools: "none",
      temperature: null,
      maxTurns: 1,
      sandboxSpec: sandboxAccess(sandboxOf(run.plan, plan), run.settings, "agent"),
      judge: null,
    });
    const stop = (): void => void running.stop(GRACE_MS).catch(() => {});
    const timer = setTimeout(stop, CEILING_MS);
    abort.addEventListener("abort", stop, { once: true });
    try {
      let usage: Usage | null = null;
      for await (const event of running.events)
        if (event.kind === "usage") usage = addUsage(usage, event.usage);
      const { exit, failure, text } = await running.end;
      const answered = failure === null && exit.kind === "exited" && exit.code === 0;
      if (usage)
        await writeHeld(engine, claim, {
          type: "small-model-used",
          harness: harness.id,
          model,
          usage,
        });
      return answered ? text : null;
    } finally {
      clearTimeout(timer);
      abort.removeEventListener("abort", stop);
    }
  } finally {
    await home.remove();
  }
}
