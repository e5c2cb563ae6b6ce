import type { Errand } from "../../core/errand/errand.ts";
import type { Remark } from "../../core/errand/errand-events.ts";
import { UserError } from "../../core/errors.ts";
import { answerJson, renderAnswer } from "../../core/report/answer-report.ts";
import { localErrandTexts } from "../../core/report/local-errand-texts.ts";
import { type Local, openLocal } from "../../wiring/local.ts";
import { findLocalState } from "../errand/local-change.ts";
import { seeThrough } from "../errand/see-through.ts";
import { errandsOf, settingsFor, startLocalErrand } from "../errand/start-local-errand.ts";
import { refuseToPlan } from "../errand/terminal-office.ts";
import { wordsOf } from "../errand/words-of.ts";
import { type Io, say, warn } from "../io.ts";
import { wantsColor } from "../output/wants-color.ts";
import { wrapFor } from "../output/wrap-for.ts";
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
    const errand = await choose(io, local, question, options);
    const wish = { answers: null, asks: false, user: userOf(io), writePlan: refuseToPlan };
    const done = await seeThrough(io, local, errand, wish);
    io.keptIn?.(local.errandLedger(done.id));
    if (options.json) say(io, JSON.stringify(answerJson(done)));
    else say(io, wrapFor(io.stdout, renderAnswer(done, { color: wantsColor(io.stdout, io.env) }).trimEnd()));
    return done.outcome?.kind === "answered" ? 0 : 1;
  } finally {
    await local.close();
  }
}

/** A new question, on its own or behind the last one; or the last one itself, when it was cut off. */
async function choose(io: Io, local: Local, question: string, options: AskOptions): Promise<Errand> {
  const before = options.continue ? ((await errandsOf(local, "ask")).at(-1) ?? null) : null;
  const begin = { next: localErrandTexts.noQuestionNext(), exitCode: 2 } as const;
  if (options.continue && !before) throw new UserError(localErrandTexts.nothingToContinue(), begin);
  if (question === "") {
    if (before && !before.outcome) {
      await settingsFor(io, local, { kind: "ask", harness: options.harness });
      return before;
    }
    throw new UserError(localErrandTexts.noQuestion(), begin);
  }
  const { commit, untracked } = await findLocalState(local);
  const errand = await startLocalErrand(io, local, {
    kind: "ask",
    text: question,
    thread: before ? conversation(before, userOf(io)) : [],
    commit,
    from: null,
    plan: null,
    harness: options.harness,
  });
  if (untracked > 0) warn(io, localErrandTexts.notKnownToGit(untracked));
  return errand;
}

/** The agent is told no more than fits its signal anyway; the ledger need not grow with every question. */
const MAX_REMARKS = 40;

function conversation({ thread, text, answer, createdAt, finishedAt }: Errand, user: string): Remark[] {
  const said: Remark = { author: user, at: createdAt, text, own: false };
  const told: Remark[] =
    answer === null ? [] : [{ author: "Loom", at: finishedAt ?? createdAt, text: answer, own: true }];
  return [...thread, said, ...told].slice(-MAX_REMARKS);
}
