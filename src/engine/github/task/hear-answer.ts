import { COMMANDS } from "../../../core/command/commands.ts";
import { isAtLeast, type Role } from "../../../core/command/role.ts";
import { answersBy, readAnswers } from "../../../core/planning/answers/read-answers.ts";
import { auditTexts } from "../../../core/report/audit/audit-texts.ts";
import { planningReplies } from "../../../core/report/github/plan/planning-replies.ts";
import type { Reply } from "../../../core/report/github/run/shelved.ts";
import { isSettled } from "../../../core/task/evolve-task.ts";
import type { Task } from "../../../core/task/task.ts";
import type { Answer } from "../../../core/task/task-events.ts";
import { answerQuestions } from "../../task/run-task.ts";
import { type IncomingComment, nameOfComment } from "../command/incoming-comment.ts";
import { replyOnce } from "../command/reply-once.ts";
import type { RepoEngine } from "../host.ts";
import { tasksOfThread } from "./find-tasks.ts";
import { sendTask } from "./send-task.ts";

/** Later than this, what looks like an answer is about something else. */
const LATE_MS = 24 * 3_600_000;

/**
 * The task in this thread that has heard this before, or whose questions wait, or were settled a short while ago; null:
 * there is none.
 */
export async function askedQuestions(engine: RepoEngine, incoming: IncomingComment): Promise<Task | null> {
  const all = await tasksOfThread(engine, incoming.number);
  const asked = all.filter(
    ({ assessment, cancelledBy }) => cancelledBy === null && (assessment?.questions.length ?? 0) > 0,
  );
  const isLate = ({ answers, outcome, finishedAt }: Task): boolean =>
    answers !== null &&
    (!outcome || outcome.kind === "planned") &&
    (finishedAt === null || Date.parse(finishedAt) + LATE_MS > engine.now());
  return (
    all.find(({ heard }) => heard.has(nameOf(incoming))) ??
    asked.find(({ answers, outcome }) => !answers && !outcome) ??
    asked.find(isLate) ??
    null
  );
}

/** Its questions are open; or it took just these words, which are read again after a crash. */
export function waitsForWords({ answers, heard }: Task, incoming: IncomingComment): boolean {
  return answers === null || heard.has(nameOf(incoming));
}

/** One comment may hold words and several commands, each of them an answer. */
function nameOf({ order, ...incoming }: IncomingComment): string {
  return order === undefined ? nameOfComment(incoming) : `${nameOfComment(incoming)}/${order}`;
}

/**
 * Takes `1b 2: use Redis` as answers. Each comment may answer some of the questions; the last word on one counts. Read again
 * after a crash, it gets the reply that it would have got.
 */
export async function takeAnswers(
  engine: RepoEngine,
  task: Task,
  incoming: IncomingComment,
  how: { readonly meant: boolean } = { meant: false },
): Promise<Reply | null> {
  const name = nameOf(incoming);
  const questions = task.assessment?.questions ?? [];
  const settled: Reply = { ok: false, text: planningReplies.settledAlready() };
  const before = task.heard.get(name);
  if (before) return taken(engine, task, before);
  if (task.answers) return readAnswers(incoming.body, questions).kind === "answers" ? settled : null;
  const reading = readAnswers(incoming.body, questions, how);
  if (reading.kind === "none") return null;
  if (reading.kind === "unclear") return { ok: false, text: planningReplies.unclearAnswer(reading.message) };
  const by = incoming.sender.login;
  const after = await answerQuestions(
    engine,
    task.id,
    ({ given }) => answersBy(questions, given, reading, by),
    name,
  );
  return after ? taken(engine, after, after.given) : settled;
}

async function taken(engine: RepoEngine, task: Task, given: readonly (Answer | null)[]): Promise<Reply> {
  const questions = task.assessment?.questions ?? [];
  if (!isSettled(given)) return { ok: true, text: planningReplies.answersKept(questions, given) };
  if (!task.outcome) await sendTask(engine, task);
  return { ok: true, text: planningReplies.answersTaken(questions, given) };
}

/** A plain reply to the questions. Most of what is said in a thread is not for Loom, and gets no word from it. */
export async function hearAnswer(engine: RepoEngine, incoming: IncomingComment): Promise<void> {
  const { comment, number } = incoming;
  if (comment === null) return;
  const reply = await replyOnce(engine, `reply/answer/${comment}`, () => answerIn(engine, incoming));
  if (reply) await engine.threads.comment(number, `reply-${comment}`, reply.text);
}

/** One comment per task with the same words for all, one at a time: strangers can't make Loom say more. */
async function askToConfirm(engine: RepoEngine, { id }: Task, number: number): Promise<void> {
  const turn = await engine.leases.acquire(`unconfirmed/${engine.repo}/${id}`);
  if (turn.kind === "held") return;
  try {
    await engine.threads.comment(number, `task-${id}-unconfirmed`, planningReplies.answerUnconfirmed());
  } finally {
    await turn.release();
  }
}

/** null: it is no answer, or nobody's who may give one. */
export async function answerIn(
  engine: RepoEngine,
  incoming: IncomingComment,
  known: Role | null = null,
): Promise<Reply | null> {
  const { comment, body } = incoming;
  const task = comment === null ? null : await askedQuestions(engine, incoming);
  if (!task || comment === null) return null;
  const reading = readAnswers(body, task.assessment?.questions ?? []);
  if (reading.kind === "none") return null;
  const role = known ?? (await engine.people.roleOf(incoming.sender));
  if (!isAtLeast(role, COMMANDS.answer.role)) {
    const what = auditTexts.answer(incoming.number, role);
    const who = incoming.sender.login;
    engine.audit.refused({ boundary: "command", rule: "role", run: task.id, who, what });
    if (reading.kind === "answers" && !task.answers) await askToConfirm(engine, task, incoming.number);
    return null;
  }
  await engine.threads.react({ comment }, "eyes");
  return takeAnswers(engine, task, incoming);
}
