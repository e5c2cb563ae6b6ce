import { askForName } from "../../core/session/session-requests.ts";
import { cleanName } from "../../core/session/short-answers.ts";
import { timestamp } from "../engine.ts";
import { askSmallModel } from "../session/ask-small-model.ts";
import { chooseAgent, chooseSmall } from "../session/choose-agent.ts";
import type { AttemptContext } from "./restore-work.ts";

/** Gives a run whose plan brings no name one that people can talk about. The first session that finds none asks. */
export async function nameRun(attempt: AttemptContext): Promise<void> {
  const { engine, run } = attempt;
  if (run.plan.name !== null || run.name !== null || run.origin !== null) return;
  const { harness } = await chooseAgent(attempt, "stage");
  if (chooseSmall(attempt, harness) === null) return;
  const stages = run.graph.order.map((id) => run.stages.get(id)?.plan.name ?? id);
  const question = askForName(attempt.prompts.small.runName, { name: null, stages });
  const name = cleanName((await askSmallModel(attempt, harness, question)) ?? "");
  if (name === null) return;
  await engine.runs.write(run.id, (current) =>
    current.name === null ? [{ type: "run-named", at: timestamp(engine), name }] : null,
  );
}
