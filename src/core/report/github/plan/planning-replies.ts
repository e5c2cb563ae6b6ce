import { COMMANDS } from "../../../command/commands.ts";
import type { Depth } from "../../../command/planning-choices.ts";
import { cutMarkdown, MAX_COMMENT } from "../../../markdown/cut-markdown.ts";
import { code, escapeMarkdown, escapeSentence } from "../../../markdown/escape-markdown.ts";
import { LETTERS } from "../../../planning/answers/read-questions.ts";
import type { Answer, Question } from "../../../task/task-events.ts";
import { counted, formatRoughly } from "../../../text/durations.ts";
import { commandNames } from "../markdown/command-names.ts";
import { degradedReply } from "./degraded-reply.ts";
import { problemList } from "./edit-problems.ts";

/** Questions that wait in a thread. */
export type AskedQuestions = {
  readonly questions: readonly Question[];
  readonly given: readonly (Answer | null)[];
  readonly url: string | null;
};

/** How several questions are answered. */
const EXAMPLE = "1b 2: use Redis";
const MAX_PROBLEMS = 12;
const WHO_ANSWERS = `people with the role ${code(COMMANDS.answer.role)} or more`;

/** What people read in a thread while a plan is made. Questions, answers and problems are others' words. */
export const planningReplies = {
  started: ({ harness, express }: { readonly harness: string | null; readonly express: boolean }): string =>
    `An agent${harness === null ? "" : ` (${code(harness, 60)})`} reads the code and this thread now, and writes a plan. ` +
    (express
      ? "It asks no questions. The plan will be opened as a pull request."
      : "It may ask a few questions here first. The plan will be opened as a pull request; nothing runs before somebody approves it.") +
    ` ${commandNames.cancel()} stops it.`,
  /** Nothing is said of `cancel`: it would end the whole run. */
  revisionStarted: (harness: string): string =>
    `An agent (${code(harness, 60)}) reads the code and what was said, and changes the plan. ` +
    "Until then the plan stays as it is; the changed one has to be approved before work goes on.",
  questions: (
    questions: readonly Question[],
    {
      depth,
      why = "",
      remindIn,
      defaultIn,
    }: {
      readonly depth: Depth;
      readonly why?: string;
      /** Both in milliseconds. */
      readonly remindIn: number;
      readonly defaultIn: number;
    },
  ): string =>
    whole([
      `Before the plan is written, please answer ${questions.length === 1 ? "this question" : `these ${questions.length} questions`} (depth: ${depth}).`,
      why === "" ? "" : `> ${escapeMarkdown(why, 1_000)}`,
      ...questions.map(renderQuestion),
      `${howToAnswer(questions)} Answers count from ${WHO_ANSWERS}.`,
      `Without an answer there is one reminder, in ${formatRoughly(remindIn)}; in ${formatRoughly(defaultIn)} the defaults are taken.`,
    ]),
  unclearAnswer: (message: string): string =>
    `${escapeSentence(message)} Nothing was taken yet; the questions still wait.`,
  settledAlready: (): string =>
    `The questions are settled already, and the plan is written from those answers. Once its pull request is open, comment ${code("/loom revise <what should be different>")} there to change it.`,
  /** Somebody answered who may not; said once, whoever else does. */
  answerUnconfirmed: (): string =>
    `Thank you! Answers to the planner's questions count from ${WHO_ANSWERS}. One of them can confirm this one by replying with the same words.`,
  /** For whoever asks for the plan again meanwhile. `url`: where the questions stand. */
  waitsForAnswers: ({ questions, given, url }: AskedQuestions): string => {
    const open = openOf(questions, given);
    const what = open.length === 1 ? "a question" : `${open.length} questions`;
    return (
      `The plan for this issue waits for answers to ${url === null ? what : `[${what}](${url})`} above. ` +
      `Reply like ${code(exampleFor(questions, open))}, or ${code("defaults")} to go on with the defaults.`
    );
  },
  /** A command to answer that holds nothing but what is never read. */
  nothingSaid: (): string => "Quotes and code are not read as an answer. The questions still wait.",
  noQuestions: (): string => "No question waits for an answer here.",
  nothingToRevise: (): string =>
    `There is no plan here that could be changed. ${commandNames.run()} on the issue asks for one.`,
  answersTaken: (questions: readonly Question[], answers: readonly Answer[]): string =>
    whole([`Taken. The plan will be written from these answers:`, renderAnswers(questions, answers)]),
  /** Some questions are answered, others are not yet. */
  answersKept: (questions: readonly Question[], given: readonly (Answer | null)[]): string => {
    const open = openOf(questions, given);
    const waits =
      open.length === 1
        ? `Question ${open[0]} still waits`
        : `${open.length} questions still wait: ${open.join(", ")}`;
    return whole([
      "Taken so far:",
      renderAnswers(questions, given),
      `${waits}. Reply like ${code(exampleFor(questions, open))}, or ${code("defaults")} to settle the rest. Until then a new answer replaces an earlier one.`,
    ]);
  },
  reminder: (
    questions: readonly Question[],
    given: readonly (Answer | null)[],
    defaultIn: number,
  ): string => {
    const open = openOf(questions, given);
    const [who, waits] = open.length === 1 ? ["A question", "waits"] : [`${open.length} questions`, "wait"];
    const which = open.length === questions.length ? "" : ` (${open.join(", ")})`;
    return (
      `${who} of the planner${which} still ${waits} for an answer here. Reply like ${code(exampleFor(questions, open))}; answers count from ${WHO_ANSWERS}. ` +
      `In ${formatRoughly(defaultIn)} the ${open.length === 1 ? "default is" : "defaults are"} taken. This is the only reminder.`
    );
  },
  defaultsTaken: (questions: readonly Question[], answers: readonly Answer[]): string =>
    whole([
      answers.some(({ by }) => by !== null)
        ? "Nobody answered the rest, so the planner goes on with the defaults there:"
        : "Nobody answered, so the planner goes on with the defaults:",
      renderAnswers(questions, answers),
      `If one of them is wrong, say so on the plan: ${code("/loom revise <what should be different>")}.`,
    ]),
  /** How many problems each draft had that was sent back; empty: the first one held. */
  sentBack: (problems: readonly number[]): string => {
    if (problems.length === 0) return "";
    return problems.length === 1
      ? `Loom sent the first draft back with ${counted(problems[0] ?? 0, "problem")}; this one has none.`
      : `Loom sent ${problems.length} drafts back with their problems; this one has none.`;
  },
  degraded: degradedReply,
  /** A change of a plan that could not be taken. */
  refusedDraft: (problems: readonly string[]): string =>
    whole([
      "The plan stays as it is: the changed one could not be taken.",
      problemList(problems, MAX_PROBLEMS),
      `Say it in other words with ${code("/loom revise <what should be different>")}, or push an edit of the plan file to the plan's branch.`,
    ]),
  /** An agent's plan that a person had approved before it was written. */
  expressHeld: (): string =>
    "This plan asks for more than usual: it opens the sandbox, or replaces the checks of the project. So the command did not approve it; somebody has to look at it first.",
  amended: (pr: number): string =>
    `The plan is changed; #${pr} shows what is different. It has to be approved again before anything goes on.`,
  cancelled: (by: string): string =>
    `Planning was stopped by ${escapeMarkdown(by, 60)}. Nothing was opened. ${commandNames.run()} starts again.`,
  revisionCancelled: (by: string): string =>
    `The revision was stopped by ${escapeMarkdown(by, 60)}. The plan was not changed.`,
  /** Between the command and its effect the plan was opened. */
  cancelledLate: (by: string, pr: number): string =>
    `Planning was stopped by ${escapeMarkdown(by, 60)}, just as #${pr} was opened; that plan is dropped. ${commandNames.run()} starts again.`,
};

function howToAnswer(questions: readonly Question[]): string {
  if (questions.length > 1) {
    return `Reply like ${code(EXAMPLE)}, or comment ${code(`/loom answer ${EXAMPLE}`)}. ${code("defaults")} takes the default for every question that has no answer yet. You need not answer all of them at once.`;
  }
  const line = exampleFor(questions, [1]);
  return `Reply like ${code(line)}, or comment ${code(`/loom answer ${line}`)}; ${code("defaults")} takes the default.`;
}

function renderQuestion({ text, options, usual, why }: Question, index: number): string {
  const lines = [`**${index + 1}.** ${escapeMarkdown(text, 600)}`];
  if (why !== "") lines.push("", `_${escapeMarkdown(why, 600)}_`);
  const choices = options.map((option, place) => {
    const mark = option === usual ? " (default)" : "";
    return `- **${LETTERS.charAt(place)}** ${escapeMarkdown(option, 300)}${mark}`;
  });
  if (!options.includes(usual)) choices.push(`- In your own words; default: ${escapeMarkdown(usual, 300)}`);
  return [...lines, "", ...choices].join("\n");
}

/** What nobody has answered yet is left out. */
function renderAnswers(questions: readonly Question[], answers: readonly (Answer | null)[]): string {
  return questions
    .flatMap(({ text }, index) => {
      const answer = answers[index];
      if (!answer) return [];
      const who = answer.by === null ? "default, nobody answered" : escapeMarkdown(answer.by, 60);
      return [
        `- **${index + 1}.** ${escapeMarkdown(text, 300)} → ${escapeMarkdown(answer.text, 600)} (${who})`,
      ];
    })
    .join("\n");
}

/** The numbers of those that have no answer. */
function openOf(questions: readonly Question[], given: readonly (Answer | null)[]): number[] {
  return questions.flatMap((_, index) => (given[index] ? [] : [index + 1]));
}

function exampleFor(questions: readonly Question[], open: readonly number[]): string {
  if (open.length === questions.length && open.length > 1) return EXAMPLE;
  const [number = 1] = open;
  const last = (questions[number - 1]?.options.length ?? 0) - 1;
  return last < 0 ? `${number}: your words` : `${number}${LETTERS.charAt(Math.min(1, last))}`;
}

function whole(parts: readonly string[]): string {
  return cutMarkdown(`${parts.filter((part) => part !== "").join("\n\n")}\n`, MAX_COMMENT, "");
}
