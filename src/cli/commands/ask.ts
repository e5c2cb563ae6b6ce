import { UserError } from "../../core/errors.ts";
import { answerJson, renderAnswer } from "../../core/report/commands/answer-report.ts";
import { localTaskTexts } from "../../core/report/commands/local-task-texts.ts";
import type { Task } from "../../core/task/task.ts";
import type { Remark } from "../../core/task/task-events.ts";
import { type Local, openLocal } from "../../wiring/local.ts";
import { type Io, say, warn } from "../io.ts";
import { wantsColor } from "../output/wants-color.ts";
import { wrapFor } from "../output/wrap-for.ts";
import { findLocalState } from "../task/local-change.ts";
import { seeThrough } from "../task/see-through.ts";
import { settingsFor, startLocalTask, tasksOf } from "../task/start-local-task.ts";
import { refuseToPlan } from "../task/terminal-channel.ts";
import { wordsOf } from "../task/words-of.ts";
import { userOf } from "./run.ts";

export type AskOptions = {
  readonly continue: boolean;
  readonly harness: string | null;
  readonly json: boolean;
};

/** `loom ask`: a question is answered from the code. The conversation is kept, and can be gone on with. */
export async function ask(io: Io, words: readonly string[], options: AskOptions): Promise<number> {
  const question = await wordsOf(io, words);
  const local = await openLocal({ cwd: io.cwd, env: io.env, feed: () => {}, runsAgents: true });
  try {
    const task = await choose(io, local, question, options);
    const wish = { answers: null, asks: false, user: userOf(io), writePlan: refuseToPlan };
    const done = await seeThrough(io, local, task, wish);
    io.keptIn?.(local.tasks.ledgerFile(done.id));
    if (options.json) say(io, JSON.stringify(answerJson(done)));
    else say(io, wrapFor(io.stdout, renderAnswer(done, { color: wantsColor(io.stdout, io.env) }).trimEnd()));
    return done.outcome?.kind === "answered" ? 0 : 1;
  } finally {
    await local.close();
  }
}

/** A new question, on its own or behind the last one; or the last one itself, when it was cut off. */
async function choose(io: Io, local: Local, question: string, options: AskOptions): Promise<Task> {
  const before = options.continue ? ((await tasksOf(local, "ask")).at(-1) ?? null) : null;
  const begin = { next: localTaskTexts.noQuestionNext(), exitCode: 2 } as const;
  if (options.continue && !before) throw new UserError(localTaskTexts.nothingToContinue(), begin);
  if (question === "") {
    if (before && !before.outcome) {
      await settingsFor(io, local, { kind: "ask", harness: options.harness });
      return before;
    }
    throw new UserError(localTaskTexts.noQuestion(), begin);
  }
  const { commit, untracked } = await findLocalState(local);
  const task = await startLocalTask(io, local, {
    kind: "ask",
    text: question,
    thread: before ? conversation(before, userOf(io)) : [],
    commit,
    from: null,
    plan: null,
    harness: options.harness,
  });
  if (untracked > 0) warn(io, localTaskTexts.notKnownToGit(untracked));
  return task;
}

/** The agent is told no more than fits its prompt anyway; the ledger need not grow with every question. */
const MAX_REMARKS = 40;

function conversation({ thread, text, answer, createdAt, finishedAt }: Task, user: string): Remark[] {
  const said: Remark = { author: user, at: createdAt, text, own: false };
  const told: Remark[] =
    answer === null ? [] : [{ author: "Loom", at: finishedAt ?? createdAt, text: answer, own: true }];
  return [...thread, said, ...told].slice(-MAX_REMARKS);
}
