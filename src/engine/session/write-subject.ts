import type { Sha } from "../../core/ids.ts";
import { commitMessage } from "../../core/merge/trailers.ts";
import { askForSubject } from "../../core/session/session-requests.ts";
import { cleanSubject } from "../../core/session/short-answers.ts";
import type { AttemptContext } from "../attempt/restore-work.ts";
import { visibleDiff } from "../attempt/visible-diff.ts";
import { askSmallModel } from "./ask-small-model.ts";
import { type ChosenAgent, chooseSmall } from "./choose-agent.ts";

const DIFF_BYTES = 12_000;

/** A commit message whose first line says what was done, in the words of the cheap model; null: the stage's name must do. */
export async function writeSubject(
  attempt: AttemptContext,
  { harness }: ChosenAgent,
  commit: Sha,
  files: readonly string[],
): Promise<string | null> {
  if (chooseSmall(attempt, harness) === null) return null;
  const { claim, run, plan, base } = attempt;
  const diff = await visibleDiff(attempt, base, commit, { maxBytes: DIFF_BYTES });
  if (diff === "") return null;
  const question = askForSubject(attempt.prompts.small.commitMessage, { name: plan.name, files, diff });
  const subject = cleanSubject((await askSmallModel(attempt, harness, question)) ?? "");
  if (subject === null) return null;
  return commitMessage({
    subject,
    body: plan.name === subject ? plan.description : `${plan.name}\n\n${plan.description}`.trim(),
    run: run.id,
    stage: plan.id,
    attempt: claim.attempt,
  });
}
