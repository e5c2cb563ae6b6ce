import type { Question } from "../../task/task-events.ts";
import { LETTERS } from "./read-questions.ts";

/** What is said to one question. */
export type AnswerPiece = {
  readonly number: number;
  /** A letter, or an answer in words. */
  readonly words: string;
  /** What stands behind a letter. */
  readonly rest: string;
};

const START =
  /^(?:[-*+]\s+)?\**\(?(?:q(?:uestion)?\s*|#)?(\d{1,2})(?:\s*(?:\.(?!\d)|:(?!\d\d)|[)=])\**|\s*-(?=\s|[a-z](?![a-z0-9]))|(?=[a-z](?![a-z0-9]))|(?=\s+[a-z](?:[\s,;.]|$))|(?=\s+(?:the\s)?defaults?(?![a-z])))\s*/i;
/** The second group: how a letter may follow its number where nobody could mean words. */
const NEXT =
  /[\s,;/&+|]{1,4}(?:and\s+)?\(?(?:q(?:uestion\s)?|#)?(\d{1,2})(?:\s{0,3}:(?=\s|[a-z](?![a-z]))|[-.)=]\s{0,3}(?=[a-z](?![a-z0-9]))|(?=[a-z](?![a-z0-9]))|(\s{0,3}[-.)=]?\s{1,3})(?=[a-z](?:[\s,;./&+|)]|$)|(?:the\s)?defaults?(?![a-z])))\s*/gi;
const LETTER = /^\(?([a-z])(?![a-z0-9'’])[).:,;]?/i;
/** Says nothing about the answer. */
const KIND = /^(?:please|thanks|thank you)[.!]{0,3}$/i;
const DEFAULT = /^(?:the )?defaults?(?![a-z])/i;
/** Behind a letter or `default`: nothing, a mark, or the beginning of a reason. Otherwise it was a word, as in `2d games`. */
const SETTLED =
  /^(?:[).]?\s*(?:$|[(["“,;:](?!\s*\d)|[^\p{L}\p{N}\s]+(?:\s+(?!\d)|$))|\s+(?:because|cause|since|as|but|though|unless|if|please|thanks|thank)(?!\p{L}))/iu;

/** Where a number says that an answer to its question begins. */
type Mark = {
  readonly number: number;
  readonly from: number;
  /** Where the answer begins. */
  readonly to: number;
  /** Nothing but a space, or a dash, divides the number from what follows, as in many a sentence. */
  readonly isBare: boolean;
  /** Before it stands a letter or `default`, behind which nobody means words. */
  readonly afterChoice: boolean;
};

/** One line may hold several answers; null: it begins with none. Without a command, sentences may begin with numbers, too. */
export function readAnswerLine(
  line: string,
  questions: readonly Question[],
  meant: boolean,
): AnswerPiece[] | null {
  const start = START.exec(line);
  if (!start) return null;
  const marks = marksOf(line, start, questions);
  const textOf = (index: number): string =>
    line.slice(marks[index]?.to ?? 0, marks[index + 1]?.from).replace(/(?<![\s,;])[\s,;]+$/, "");
  for (let index = marks.length - 1; index >= 0; index -= 1) {
    const mark = marks[index];
    if (!mark?.isBare || isChoice(textOf(index)) || (meant && (index === 0 || mark.afterChoice))) continue;
    if (index === 0) return null;
    marks.splice(index, 1);
  }
  const pieces = marks.map(({ number, isBare, to }, index) => {
    const isGlued = isBare && line.charAt(to - 1) !== " ";
    return readPiece(number, textOf(index), questions[number - 1], isGlued);
  });
  const [first] = pieces;
  return meant || !first || mayBeAnswer(first, start[0], questions) ? pieces : null;
}

/** Inside of words, only the next questions in turn begin a new answer. */
function marksOf(line: string, start: RegExpExecArray, questions: readonly Question[]): Mark[] {
  const isBare = (mark: string): boolean => /\d(?:\s*|-)$/.test(mark);
  const marks: Mark[] = [
    {
      number: Number(start[1]),
      from: 0,
      to: start[0].length,
      isBare: isBare(start[0]),
      afterChoice: false,
    },
  ];
  for (const match of line.slice(start[0].length).matchAll(NEXT)) {
    const last = marks.at(-1);
    const from = start[0].length + match.index;
    const to = from + match[0].length;
    const number = Number(match[1]);
    const between = line.slice(last?.to ?? 0, from);
    const letter = LETTER.exec(line.slice(to))?.[1]?.toLowerCase() ?? "";
    const fits = letter === "" || isOption(letter, questions[number - 1]);
    const inTurn = number > (last?.number ?? 0) && number <= questions.length && fits;
    const isLoose = match[2] !== undefined || /^[^\d]*[/&+|]/.test(match[0]);
    const afterChoice = [LETTER, DEFAULT].some((word) => word.exec(between)?.[0].length === between.length);
    if (isLoose ? afterChoice && fits : inTurn || afterChoice)
      marks.push({ number, from, to, isBare: isBare(match[0]), afterChoice });
  }
  return marks;
}

/** Whether a letter or `default` stands here, and no word that begins like one. */
function isChoice(text: string): boolean {
  const choice = /^\(?[a-z](?![a-z0-9'’])/i.exec(text) ?? DEFAULT.exec(text);
  return choice !== null && SETTLED.test(text.slice(choice[0].length));
}

/** `12. December is too late` and `10x!` are no answers; `7a` and `7: by hand` are, and whoever wrote them is told. */
function mayBeAnswer({ number, words }: AnswerPiece, mark: string, questions: readonly Question[]): boolean {
  if (number >= 1 && number <= questions.length) return true;
  return words.length === 1 ? LETTERS.includes(words.toLowerCase()) : /[:=]/.test(mark);
}

function readPiece(
  number: number,
  text: string,
  question: Question | undefined,
  isGlued: boolean,
): AnswerPiece {
  if (DEFAULT.test(text) && isChoice(text)) return { number, words: "default", rest: "" };
  const letter = LETTER.exec(text);
  if (!letter || question?.options.length === 0) return { number, words: text, rest: "" };
  const words = text.slice(letter[0].length).trim();
  const behind = /[\p{L}\p{N}]/u.test(words) && !KIND.test(words) ? words.replace(/^\((.*)\)$/, "$1") : "";
  // `1: a cache would do` is no letter.
  const isMark = letter[0].length > 1 || behind === "" || isGlued || isChoice(text);
  return isMark ? { number, words: letter[1] ?? "", rest: behind } : { number, words: text, rest: "" };
}

function isOption(letter: string, question: Question | undefined): boolean {
  const place = LETTERS.indexOf(letter);
  return question !== undefined && place !== -1 && place < question.options.length;
}
