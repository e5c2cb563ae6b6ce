import { COMMANDS } from "../../../core/command/commands.ts";
import { isAtLeast, type Role } from "../../../core/command/role.ts";
import type { Errand } from "../../../core/errand/errand.ts";
import type { Answer } from "../../../core/errand/errand-events.ts";
import { isSettled } from "../../../core/errand/evolve-errand.ts";
import { answersBy, readAnswers } from "../../../core/planning/read-answers.ts";
import { auditTexts } from "../../../core/report/audit-texts.ts";
import { planningReplies } from "../../../core/report/github/planning-replies.ts";
import type { Reply } from "../../../core/report/github/shelved.ts";
import { answerQuestions } from "../../errand/run-errand.ts";
import type { RepoEngine } from "../host.ts";
import { replyOnce } from "../reply-once.ts";
import { nameOfSaid, type Said } from "../said.ts";
import { errandsOfThread } from "./find-errands.ts";
import { sendErrand } from "./send-errand.ts";

/** Later than this, what looks like an answer is about something else. */
const LATE_MS = 24 * 3_600_000;

/**
 * The errand in this thread that has heard this before, or whose questions wait, or were settled a short while ago; null:
 * there is none.
 */
export async function askedQuestions(engine: RepoEngine, said: Said): Promise<Errand | null> {
  const all = await errandsOfThread(engine, said.number);
  const asked = all.filter(
    ({ assessment, cancelledBy }) => cancelledBy === null && (assessment?.questions.length ?? 0) > 0,
  );
  const isLate = ({ answers, outcome, finishedAt }: Errand): boolean =>
    answers !== null &&
    (!outcome || outcome.kind === "planned") &&
    (finishedAt === null || Date.parse(finishedAt) + LATE_MS > engine.now());
  return (
    all.find(({ heard }) => heard.has(nameOf(said))) ??
    asked.find(({ answers, outcome }) => !answers && !outcome) ??
    asked.find(isLate) ??
    null
  );
}

/** Its questions are open; or it took just these words, which are read again after a crash. */
export function waitsForWords({ answers, heard }: Errand, said: Said): boolean {
  return answers === null || heard.has(nameOf(said));
}

/** One comment may hold words and several commands, each of them an answer. */
function nameOf({ order, ...said }: Said): string {
  return order === undefined ? nameOfSaid(said) : `${nameOfSaid(said)}/${order}`;
}

/**
 * Takes `1b 2: use Redis` as answers. Each comment may answer some of the questions; the last word on one counts. Read again
 * after a crash, it gets the reply that it would have got.
 */
export async function takeAnswers(
  engine: RepoEngine,
  errand: Errand,
  said: Said,
  how: { readonly meant: boolean } = { meant: false },
): Promise<Reply | null> {
  const name = nameOf(said);
  const questions = errand.assessment?.questions ?? [];
  const settled: Reply = { ok: false, text: planningReplies.settledAlready() };
  const before = errand.heard.get(name);
  if (before) return taken(engine, errand, before);
  if (errand.answers) return readAnswers(said.body, questions).kind === "answers" ? settled : null;
  const reading = readAnswers(said.body, questions, how);
  if (reading.kind === "none") return null;
  if (reading.kind === "unclear") return { ok: false, text: planningReplies.unclearAnswer(reading.message) };
  const by = said.sender.login;
  const after = await answerQuestions(
    engine,
    errand.id,
    ({ given }) => answersBy(questions, given, reading, by),
    name,
  );
  return after ? taken(engine, after, after.given) : settled;
}

async function taken(engine: RepoEngine, errand: Errand, given: readonly (Answer | null)[]): Promise<Reply> {
  const questions = errand.assessment?.questions ?? [];
  if (!isSettled(given)) return { ok: true, text: planningReplies.answersKept(questions, given) };
  if (!errand.outcome) await sendErrand(engine, errand);
  return { ok: true, text: planningReplies.answersTaken(questions, given) };
}

/** A plain reply to the questions. Most of what is said in a thread is not for Loom, and gets no word from it. */
export async function hearAnswer(engine: RepoEngine, said: Said): Promise<void> {
  const { comment, number } = said;
  if (comment === null) return;
  const reply = await replyOnce(engine, `reply/answer/${comment}`, () => answerIn(engine, said));
  if (reply) await engine.hub.comment(number, `reply-${comment}`, reply.text);
}

/** One comment per errand with the same words for all, one at a time: strangers can't make Loom say more. */
async function askToConfirm(engine: RepoEngine, { id }: Errand, number: number): Promise<void> {
  const turn = await engine.leases.acquire(`unconfirmed/${engine.repo}/${id}`);
  if (turn.kind === "held") return;
  try {
    await engine.hub.comment(number, `errand-${id}-unconfirmed`, planningReplies.answerUnconfirmed());
  } finally {
    await turn.release();
  }
}

/** null: it is no answer, or nobody's who may give one. */
export async function answerIn(
  engine: RepoEngine,
  said: Said,
  known: Role | null = null,
): Promise<Reply | null> {
  const { comment, body } = said;
  const errand = comment === null ? null : await askedQuestions(engine, said);
  if (!errand || comment === null) return null;
  const reading = readAnswers(body, errand.assessment?.questions ?? []);
  if (reading.kind === "none") return null;
  const role = known ?? (await engine.hub.roleOf(said.sender));
  if (!isAtLeast(role, COMMANDS.answer.role)) {
    const what = auditTexts.answer(said.number, role);
    const who = said.sender.login;
    engine.audit.refused({ wall: "command", rule: "role", run: errand.id, who, what });
    if (reading.kind === "answers" && !errand.answers) await askToConfirm(engine, errand, said.number);
    return null;
  }
  await engine.hub.react({ comment }, "eyes");
  return takeAnswers(engine, errand, said);
}
