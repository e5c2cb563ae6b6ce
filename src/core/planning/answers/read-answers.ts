import { markLines } from "../../session/mark-lines.ts";
import type { Answer, Question } from "../../task/task-events.ts";
import { shortText } from "../../text/cut-text.ts";
import { plainLines } from "../../text/escape-text.ts";
import { type AnswerPiece, readAnswerLine } from "./read-answer-line.ts";
import { chosen, LETTERS } from "./read-questions.ts";

export type SaidAnswers = {
  /** One for each question, in their order; null: nothing was said to it. */
  readonly answers: readonly (string | null)[];
  /** What was not named, and has no answer yet, is to have its default. */
  readonly rest: boolean;
};

export type ReadAnswers =
  | ({ readonly kind: "answers" } & SaidAnswers)
  /** Meant as an answer; `message` says what does not fit, and goes to the person. */
  | { readonly kind: "unclear"; readonly message: string }
  | { readonly kind: "none" };

const MAX_BODY = 20_000;
const MAX_LINES = 200;
const LINE_CHARS = 4_000;
const ANSWER_CHARS = 2_000;

const DEFAULTS =
  /^(?:(?:ok|okay|yes|fine|sure|please)[,.! ]+){0,2}(?:(?:go|proceed|continue|carry)(?: on| ahead)? with |just |use |take |accept )?(?:all )?(?:of )?(?:the |your )?defaults?(?: are| is)?(?: for all)?(?: fine| ok| good)?(?:,? please)?$/i;
const REST =
  /(?:^|[\s,;])(?:and )?(?:the )?(?:rest|others?):? (?:as |are |by |with |use |take )?(?:the )?defaults?$|(?:^|[\s,;])(?:and )?(?:the )?defaults? for the (?:rest|others?)$/i;

/**
 * What a comment answers to numbered questions: `1b 2: use Redis`, one answer per line, `b` when there is one question,
 * `defaults`. Only what begins like an answer is one: people talk about questions, too, and quote them. `meant`: the words
 * are known to be an answer, as behind a command or in a terminal, so mere words answer the only question.
 */
export function readAnswers(
  body: string,
  questions: readonly Question[],
  { meant = false }: { readonly meant?: boolean } = {},
): ReadAnswers {
  const read = readSpoken(body, questions, meant);
  const words = meant && read.kind === "none" ? spokenLines(body).join("\n") : "";
  if (words === "" || questions.length === 0) return read;
  return questions.length === 1
    ? answered([shortText(words, ANSWER_CHARS)])
    : unclear(`I can't tell which question this answers. ${howTo(questions)}`);
}

function readSpoken(body: string, questions: readonly Question[], meant: boolean): ReadAnswers {
  if (questions.length === 0) return { kind: "none" };
  const lines = spokenLines(body);
  const text = lines.join("\n").trim();
  if (text === "") return { kind: "none" };
  if (DEFAULTS.test(text.replace(/(?<![.!])[.!]+$/, "")))
    return answered(
      questions.map(() => null),
      true,
    );
  const bare = readBare(text, questions);
  if (bare) return bare;
  return readMarked(lines, questions, meant);
}

/** Without quotes, code and comments that nobody sees, and without the command. */
function spokenLines(body: string): string[] {
  const plain = plainLines(body.slice(0, MAX_BODY)).replace(/<!--[\s\S]*?(?:-->|$)/g, "");
  return markLines(plain)
    .filter(({ text, code }) => !code && !/^(?: {0,3}>| {4}|\t)/.test(text))
    .map(({ text }) => oneSpace(text).replace(/^\/loom answer\b[:,]?\s*/i, ""))
    .filter((line) => line !== "" && !line.startsWith("/"))
    .slice(0, MAX_LINES);
}

/** Long runs of what divides words would cost their square. */
function oneSpace(line: string): string {
  return line
    .slice(0, LINE_CHARS)
    .replace(/[\s,;]{2,}/g, (run) => (/[,;]/.test(run) ? ", " : " "))
    .trim();
}

/** What people say around an option. */
const LEAD =
  /^(?:(?:ok|okay|yes|sure|please)[,.! ]+){0,2}(?:(?:let['’]?s |i['’]d |i would )?(?:go with|go for|use|take|choose|pick|prefer) )?/i;
const THANKS = /(?:,? (?:please|thanks|thank you))?[.!]{0,3}$/i;

/** Letters alone, or the words of an option. */
function readBare(text: string, questions: readonly Question[]): ReadAnswers | null {
  const [only] = questions;
  if (only && questions.length === 1 && !/^\d/.test(text)) {
    const short = text.slice(0, ANSWER_CHARS);
    const option =
      chosen(short.replace(/[.!]$/, ""), only.options) ??
      chosen(short.replace(LEAD, "").replace(THANKS, ""), only.options);
    if (option !== null) return answered([option]);
  }
  const letters = text.toLowerCase().match(/^\(?[a-z][).]?(?:[\s,]+\(?[a-z][).]?)*$/)
    ? text.match(/[a-z]/gi)
    : null;
  if (!letters) return null;
  // `I` and the like are words of a sentence that has not got far.
  if (letters.length !== questions.length || questions.some(({ options }) => options.length === 0)) {
    return letters.some((letter) => !LETTERS.includes(letter.toLowerCase()))
      ? null
      : unclear(`I can't tell which question this answers. ${howTo(questions)}`);
  }
  return settle(
    letters.map((words, index) => ({ number: index + 1, words, rest: "" })),
    questions,
  );
}

function readMarked(lines: readonly string[], questions: readonly Question[], meant: boolean): ReadAnswers {
  const pieces: AnswerPiece[] = [];
  let prose = false;
  let rest = false;
  for (const raw of lines) {
    rest ||= REST.test(raw);
    const line = raw.replace(REST, "");
    const found = readAnswerLine(line, questions, meant);
    if (found) pieces.push(...found);
    else if (pieces.length === 0) prose ||= line !== "";
    else if (line !== "" && !(rest && line === "")) extend(pieces, line);
  }
  if (pieces.length === 0) return { kind: "none" };
  // Behind other words, a numbered list may be about anything; letters are answers.
  if (prose && pieces.some(({ words }) => words.length > 1)) return { kind: "none" };
  const settled = settle(pieces, questions);
  return settled.kind === "answers" ? answered(settled.answers, rest) : settled;
}

/** A line that begins no answer goes on with the one before, unless that was a mere letter. */
function extend(pieces: AnswerPiece[], line: string): void {
  const last = pieces.at(-1);
  if (!last || last.words.length <= 1) return;
  pieces[pieces.length - 1] = { ...last, words: `${last.words}\n${line}` };
}

function settle(pieces: readonly AnswerPiece[], questions: readonly Question[]): ReadAnswers {
  const answers: (string | null)[] = questions.map(() => null);
  for (const { number, words, rest } of pieces) {
    const question = questions[number - 1];
    if (!question) return unclear(noQuestion(number, questions));
    const answer = readOne(words, rest, question);
    if (answer === null) return unclear(noOption(number, words, question));
    if (answer !== "") answers[number - 1] = answer;
  }
  return answers.every((answer) => answer === null) ? { kind: "none" } : answered(answers);
}

/** null: a letter that is none of the options. */
function readOne(words: string, rest: string, { options, usual }: Question): string | null {
  const text = words.trim();
  if (/^(?:the )?defaults?$/i.test(text)) return usual;
  const option = options.length > 0 ? chosen(text, options) : null;
  if (option !== null) return rest === "" ? option : shortText(`${option} (${rest})`, ANSWER_CHARS);
  if (options.length > 0 && /^(?:option\s+)?\(?[a-z][.)]?$/i.test(text)) return null;
  return shortText(text, ANSWER_CHARS);
}

function noQuestion(number: number, questions: readonly Question[]): string {
  const there = questions.length === 1 ? "there is one question" : `there are ${questions.length} questions`;
  return `I can't find question ${number}: ${there}. ${howTo(questions)}`;
}

function noOption(number: number, letter: string, { options }: Question): string {
  const last = LETTERS.charAt(options.length - 1);
  const range = options.length === 1 ? "the option a" : `the options a to ${last}`;
  return `Question ${number} has ${range}, and \`${letter.slice(0, 20)}\` is none of them. Choose one, or answer in words: \`${number}: your words\`.`;
}

function howTo(questions: readonly Question[]): string {
  return questions.length === 1
    ? "Answer `1b`, or `1: your words`."
    : "Answer like this: `1b 2: your words`.";
}

function answered(answers: readonly (string | null)[], rest = false): ReadAnswers {
  return { kind: "answers", answers, rest };
}

function unclear(message: string): ReadAnswers {
  return { kind: "unclear", message };
}

/** What somebody's words mean for each question, given what has been said to them so far. */
export function answersBy(
  questions: readonly Question[],
  given: readonly (Answer | null)[],
  { answers, rest }: SaidAnswers,
  by: string,
): (Answer | null)[] {
  return questions.map(({ usual }, index) => {
    const said = answers[index] ?? (rest && !given[index] ? usual : null);
    return said === null ? null : { text: said, by };
  });
}

/** A whole set: the usual answer, which nobody gave, to the rest. */
export function completeAnswers(
  questions: readonly Question[],
  answers: readonly (Answer | null)[],
): Answer[] {
  return questions.map(({ usual }, index) => answers[index] ?? { text: usual, by: null });
}
