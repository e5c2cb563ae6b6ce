import { askForName } from "../core/session/session-requests.ts";
import { cleanName } from "../core/session/short-answers.ts";
import { askSmallModel } from "./ask-small-model.ts";
import { chooseAgent, chooseSmall } from "./choose-agent.ts";
import { timestamp } from "./engine.ts";
import type { Desk } from "./lay-out.ts";

/** Gives a run whose plan brings no name one that people can talk about. The first session that finds none asks. */
export async function nameRun(desk: Desk): Promise<void> {
  const { engine, run } = desk;
  if (run.plan.name !== null || run.name !== null || run.origin !== null) return;
  const { harness } = await chooseAgent(desk, "stage");
  if (chooseSmall(desk, harness) === null) return;
  const stages = run.graph.order.map((id) => run.stages.get(id)?.plan.name ?? id);
  const question = askForName(desk.prompts.small.runName, { name: null, stages });
  const name = cleanName((await askSmallModel(desk, harness, question)) ?? "");
  if (name === null) return;
  await engine.book.write(run.id, (current) =>
    current.name === null ? [{ type: "run-named", at: timestamp(engine), name }] : null,
  );
}
