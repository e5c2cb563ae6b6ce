import { addressAnswer } from "../../../core/command/address-answer.ts";
import { assertNever } from "../../../core/errors.ts";
import type { StageId } from "../../../core/ids.ts";
import { planningReplies } from "../../../core/report/github/plan/planning-replies.ts";
import { replies } from "../../../core/report/github/run/replies.ts";
import type { Reply } from "../../../core/report/github/run/shelved.ts";
import type { Run } from "../../../core/run/run.ts";
import { answerStage } from "../../run/steer-run.ts";
import type { RepoEngine } from "../host.ts";
import { askedQuestions, takeAnswers, waitsForWords } from "../task/hear-answer.ts";
import { findRun } from "./find-run.ts";
import { goOn } from "./go-on.ts";
import { hearCommand } from "./hear-command.ts";
import type { IncomingComment } from "./incoming-comment.ts";

const bad = (text: string): Reply => ({ ok: false, text });

/** `/loom answer`: the words go to whoever has asked in this thread. A planner takes from it what it takes from a reply. */
export async function giveAnswer(
  engine: RepoEngine,
  incoming: IncomingComment,
  text: string,
): Promise<Reply> {
  const run = (await findRun(engine, incoming.number))?.run ?? null;
  return run
    ? hearCommand(engine, run, incoming, (gesture) => give(engine, incoming, text, { run, gesture }))
    : give(engine, incoming, text, null);
}

async function give(
  engine: RepoEngine,
  incoming: IncomingComment,
  text: string,
  about: { readonly run: Run; readonly gesture: string } | null,
): Promise<Reply> {
  const run = about?.run ?? null;
  const task = await askedQuestions(engine, incoming);
  const stages = run ? [...run.stages.keys()] : [];
  const asking = run ? stagesAsking(run) : [];
  const planner = task !== null && waitsForWords(task, incoming);
  const to = addressAnswer(text, { planner, stages, asking });
  if (about && to.kind === "stage") {
    const { run, gesture } = about;
    await answerStage(engine, run.id, to.stage, to.answer, incoming.sender.login, gesture);
    await goOn(engine, run.id);
    return { ok: true, text: replies.answered(to.stage) };
  }
  // Settled questions have a word for those who answer late.
  const taken = task && (await takeAnswers(engine, task, { ...incoming, body: text }, { meant: true }));
  if (taken) return taken;
  switch (to.kind) {
    case "planner":
      return bad(planningReplies.nothingSaid());
    case "empty":
      return bad(replies.emptyAnswer(to.stage));
    case "no-stage":
      return bad(replies.answersNoStage(to.word, stages, asking));
    case "stage":
    case "nobody":
      return bad(task ? planningReplies.settledAlready() : planningReplies.noQuestions());
    default:
      return assertNever(to);
  }
}

/** What somebody does by hand waits for commits, not for words. */
function stagesAsking({ status, stages }: Run): StageId[] {
  if (status !== "running") return [];
  return [...stages].flatMap(([id, { state, takenBy }]) =>
    state.kind === "waiting-for-input" && takenBy === null ? [id] : [],
  );
}
