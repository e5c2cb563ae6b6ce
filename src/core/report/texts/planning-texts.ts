import { LETTERS } from "../../planning/answers/read-questions.ts";
import type { PlanNotes } from "../../task/plan-of.ts";
import type { Answer, Question } from "../../task/task-events.ts";
import { shortLine } from "../../text/cut-text.ts";
import { counted } from "../../text/durations.ts";
import { word } from "./start-texts.ts";

/** The same as on GitHub, for `loom plan new` in a terminal. */

const TEXT_CHARS = 600;

/** The questions, each with its options; empty lines between them. */
export function questionLines(questions: readonly Question[]): string[] {
  return questions.flatMap(({ text, options, usual, why }, index) => {
    const lines = [`${index + 1}. ${shortLine(text, TEXT_CHARS)}`];
    if (why !== "") lines.push(`   ${shortLine(why, TEXT_CHARS)}`);
    for (const [place, option] of options.entries()) {
      const mark = option === usual ? " (default)" : "";
      lines.push(`   ${LETTERS.charAt(place)}) ${shortLine(option, TEXT_CHARS)}${mark}`);
    }
    if (!options.includes(usual))
      lines.push(`   In your own words; default: ${shortLine(usual, TEXT_CHARS)}`);
    return index === 0 ? lines : ["", ...lines];
  });
}

/** What was taken for each question; defaults are said openly. */
export function answerLines(questions: readonly Question[], answers: readonly Answer[]): string[] {
  return questions.map(({ text, usual }, index) => {
    const answer = answers[index] ?? { text: usual, by: null };
    const mark = answer.by === null ? " (default)" : "";
    return `${index + 1}. ${shortLine(text, TEXT_CHARS)} → ${shortLine(answer.text, TEXT_CHARS)}${mark}`;
  });
}

/** Of a plan and the design that it follows. */
export function noteTexts({ designNotes = [], notes }: PlanNotes): string[] {
  return [...designNotes.map((note) => `In the design: ${note}`), ...notes];
}

export const planningTexts = {
  askedFirst: (count: number): string =>
    `Before the plan is written, please answer ${count === 1 ? "a question" : `${count} questions`}:`,
  howToAnswer: (count: number): string =>
    count === 1
      ? "Answer with a letter or in words; an empty line takes the default."
      : "Answer like this: 1b 2: use Redis. An empty line takes the defaults.",
  answersTaken: (): string => "The plan is written from these answers:",
  defaultsTaken: (): string => "There is nobody to ask here, so the defaults hold:",
  defaultsChosen: (): string => "The plan is written from the defaults:",
  redrafting: (count: number, round: number, most: number): string =>
    `The draft has ${counted(count, "problem")}; it goes back to the planner (${round} of ${most}).`,
  /** Why there is no plan of several stages, with the last things that were wrong. */
  noSoundPlan: (last: { drafts: number; problems: number; first: string | null }): string => {
    const { drafts, problems, first } = last;
    const left = problems - 1;
    const said =
      first === null ? "" : ` The last one had ${counted(problems, "problem")}: ${shortLine(first, 300)}`;
    return `No sound plan came in ${counted(drafts, "draft")}.${said}${left > 0 ? ` And ${left} more.` : ""}`;
  },
  /** The sessions failed, the last one for this reason. */
  plannerFailed: (times: number, reason: string): string =>
    `The planner failed${times === 1 ? "" : ` ${times} times`} and brought no plan. ${shortLine(reason, 500)}`,
  /** `spent`: what was used up, and what raises it. */
  plannerSpent: (spent: string): string =>
    `The planner brought no sound plan before it had to stop. ${spent}`,
  degraded: (): string => "A plan of one stage stands in its place.",
  /** What an agent that wrote no whole design did wrong, as the end of a sentence. */
  designLacks: (problems: number, isEmpty: boolean): string =>
    isEmpty
      ? "its design has none of the sections that were asked for"
      : `its design lacks ${counted(problems, "part")}`,
  denied: (): string => "This repository takes no plan of one stage instead (planner.degraded: deny).",
  written: (path: string): string =>
    `The plan stands in ${shortLine(path, 300)}. Read it, then: loom run ${word(shortLine(path, 300))}`,
  designWritten: (path: string): string => `The design stands in ${shortLine(path, 300)}.`,
  failed: (reason: string, next: string): string =>
    `There is no plan. ${shortLine(reason, 500)} ${shortLine(next, 300)}`.trimEnd(),
  readThenRun: (path: string, into: string | null = null): string => {
    const branch = into === null ? "" : ` --into ${word(shortLine(into, 300))}`;
    return `Nothing runs yet. Read the plan, then: loom run ${word(shortLine(path, 300))}${branch}`;
  },
  askToRun: (): string => "Run it? (y/N) ",
  cancelled: (): string => "Planning was stopped; nothing was written.",
};
