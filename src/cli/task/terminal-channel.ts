import { InternalError, UserError } from "../../core/errors.ts";
import { NO_FINDINGS } from "../../core/findings/earlier-finding.ts";
import {
  answersBy,
  completeAnswers,
  readAnswers,
  type SaidAnswers,
} from "../../core/planning/answers/read-answers.ts";
import { localTaskTexts } from "../../core/report/commands/local-task-texts.ts";
import { plannerEnd, plannerFailure, taskEnd } from "../../core/report/terminal/task-end.ts";
import { answerLines, planningTexts, questionLines } from "../../core/report/texts/planning-texts.ts";
import { whyDegraded } from "../../core/report/texts/task-cause-texts.ts";
import { planOf } from "../../core/task/plan-of.ts";
import type { Task } from "../../core/task/task.ts";
import type { Answer, Question, TaskOutcome } from "../../core/task/task-events.ts";
import { refusedFor, type TaskChannel } from "../../engine/task/task-channel.ts";
import type { Io } from "../io.ts";
import { wrapFor } from "../output/wrap-for.ts";
import { stopped } from "./stopped.ts";
import type { TaskProgress } from "./task-progress.ts";

export type TerminalWish = {
  /** Answers that came with the command; null: none did. */
  readonly answers: string | null;
  /** Whether somebody may be asked, where somebody is. */
  readonly asks: boolean;
  readonly user: string;
  /** Puts the plan where it belongs. */
  readonly writePlan: (task: Task, text: string) => Promise<TaskOutcome>;
};

/** Whoever asked sits before the terminal, or wrote all that is to be known into the command. */
export function createTerminalChannel(io: Io, progress: TaskProgress, wish: TerminalWish): TaskChannel {
  return {
    fetch: async () => {},
    async ask({ kind, assessment }) {
      const questions = assessment?.questions ?? [];
      const person = wish.asks ? (io.ask ?? null) : null;
      progress.clear();
      const said =
        wish.answers !== null
          ? given(wish.answers, questions)
          : person && (await asked(io, person, questions));
      if (said === "left") throw stopped(kind);
      const own = said && answersBy(questions, [], said, wish.user);
      const answers = completeAnswers(questions, own ?? []);
      progress.tell([headOf(answers, person !== null), ...answerLines(questions, answers)].join("\n"));
      return { comment: null, answers };
    },
    remind: async () => {},
    sayDefaults: async () => {},
    earlierFindings: async () => NO_FINDINGS,
    planToAmend: async () => null,
    async deliver(task) {
      if (task.cancelledBy !== null) return { kind: "cancelled", by: task.cancelledBy };
      if (task.answer !== null) return { kind: "answered" };
      if (task.result) return { kind: "audited", findings: task.result.findings.length };
      const plan = planOf(task);
      if (plan !== null) return wish.writePlan(task, plan);
      return refusedFor({
        reason: task.degraded ? whyDegraded(task.degraded.cause) : "",
        next: `${planningTexts.denied()} ${plannerEnd(task)?.next ?? ""}`.trimEnd(),
        failure: plannerFailure(task),
      });
    },
    giveUp: async (task, why) => refusedFor({ ...why, next: taskEnd(task, why).next }),
  };
}

function headOf(answers: readonly Answer[], asked: boolean): string {
  if (answers.some(({ by }) => by !== null)) return planningTexts.answersTaken();
  return asked ? planningTexts.defaultsChosen() : planningTexts.defaultsTaken();
}

function given(words: string, questions: readonly Question[]): SaidAnswers {
  const reading = readAnswers(words, questions, { meant: true });
  if (reading.kind === "answers") return reading;
  const message = reading.kind === "unclear" ? reading.message : localTaskTexts.answersUnused();
  throw new UserError(message, { next: localTaskTexts.answerLike(), exitCode: 2 });
}

/** All questions at once, as on GitHub; an empty line takes the defaults. */
async function asked(
  io: Io,
  ask: NonNullable<Io["ask"]>,
  questions: readonly Question[],
): Promise<SaidAnswers | null | "left"> {
  const hint = planningTexts.howToAnswer(questions.length);
  const lines = [planningTexts.askedFirst(questions.length), "", ...questionLines(questions), "", hint];
  let prompt = `${wrapFor(io.stderr, lines.join("\n"))}\n> `;
  for (;;) {
    const said = await ask(prompt);
    if (said === null) return "left";
    if (said.trim() === "") return null;
    const reading = readAnswers(said, questions, { meant: true });
    if (reading.kind === "answers") return reading;
    prompt = `${reading.kind === "unclear" ? reading.message : hint}\n> `;
  }
}

/** For tasks that end in no plan. */
export async function refuseToPlan({ id }: Task): Promise<never> {
  throw new InternalError(`the task ${id} was not to make a plan`);
}
