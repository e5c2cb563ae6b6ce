import type { Errand } from "../../core/errand/errand.ts";
import type { Answer, ErrandOutcome, Question } from "../../core/errand/errand-events.ts";
import { planOf } from "../../core/errand/plan-of.ts";
import { InternalError, UserError } from "../../core/errors.ts";
import { NO_FINDINGS } from "../../core/findings/earlier-finding.ts";
import {
  answersBy,
  completeAnswers,
  readAnswers,
  type SaidAnswers,
} from "../../core/planning/read-answers.ts";
import { errandEnd, plannerEnd, plannerFailure } from "../../core/report/errand-end.ts";
import { localErrandTexts } from "../../core/report/local-errand-texts.ts";
import { answerLines, planningTexts, questionLines } from "../../core/report/planning-texts.ts";
import { type ErrandOffice, refusedFor } from "../../engine/errand/errand-office.ts";
import type { Io } from "../io.ts";
import { wrapFor } from "../output/wrap-for.ts";
import type { ErrandProgress } from "./errand-progress.ts";
import { stopped } from "./stopped.ts";

export type TerminalWish = {
  /** Answers that came with the command; null: none did. */
  readonly answers: string | null;
  /** Whether somebody may be asked, where somebody is. */
  readonly asks: boolean;
  readonly user: string;
  /** Puts the plan where it belongs. */
  readonly writePlan: (errand: Errand, text: string) => Promise<ErrandOutcome>;
};

/** Whoever asked sits before the terminal, or wrote all that is to be known into the command. */
export function createTerminalOffice(io: Io, progress: ErrandProgress, wish: TerminalWish): ErrandOffice {
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
    async deliver(errand) {
      if (errand.cancelledBy !== null) return { kind: "cancelled", by: errand.cancelledBy };
      if (errand.answer !== null) return { kind: "answered" };
      if (errand.result) return { kind: "audited", findings: errand.result.findings.length };
      const plan = planOf(errand);
      if (plan !== null) return wish.writePlan(errand, plan);
      return refusedFor({
        reason: errand.degraded?.reason ?? "",
        next: `${planningTexts.denied()} ${plannerEnd(errand)?.next ?? ""}`.trimEnd(),
        failure: plannerFailure(errand),
      });
    },
    giveUp: async (errand, why) => refusedFor({ ...why, next: errandEnd(errand, why).next }),
  };
}

function headOf(answers: readonly Answer[], asked: boolean): string {
  if (answers.some(({ by }) => by !== null)) return planningTexts.answersTaken();
  return asked ? planningTexts.defaultsChosen() : planningTexts.defaultsTaken();
}

function given(words: string, questions: readonly Question[]): SaidAnswers {
  const reading = readAnswers(words, questions, { meant: true });
  if (reading.kind === "answers") return reading;
  const message = reading.kind === "unclear" ? reading.message : localErrandTexts.answersUnused();
  throw new UserError(message, { next: localErrandTexts.answerLike(), exitCode: 2 });
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

/** For errands that end in no plan. */
export async function refuseToPlan({ id }: Errand): Promise<never> {
  throw new InternalError(`the errand ${id} was not to make a plan`);
}
