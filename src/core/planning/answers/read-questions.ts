import type { Depth } from "../../command/planning-choices.ts";
import type { Complexity } from "../../plan/plan.ts";
import { isRecord, listOf, readLooseYaml, wordOf } from "../../session/read-loose-yaml.ts";
import type { Question } from "../../task/task-events.ts";
import { shortLine, shortText } from "../../text/cut-text.ts";

export const MAX_QUESTIONS = 8;
const MAX_OPTIONS = 6;
const TEXT_CHARS = 500;
const OPTION_CHARS = 200;
const WHY_CHARS = 2_000;
const BLOCK_CHARS = 60_000;

/** How many questions a planner may ask people. */
export function questionsAllowed(depth: Depth): number {
  return { quick: 2, standard: 4, deep: MAX_QUESTIONS }[depth];
}

export const LETTERS = "abcdef";
/** What is taken when a planner asks and names neither options nor a default. */
const NO_DEFAULT = "Whatever fits the project best.";

export type Assessment = {
  readonly complexity: Complexity;
  readonly why: string;
  readonly questions: readonly Question[];
};

/** The block with `loom_questions:`, or a sentence about what is wrong with it. */
export function readQuestions(yaml: string, maxQuestions: number): Assessment | string {
  if (yaml.length > BLOCK_CHARS) return "The block with `loom_questions:` is too long.";
  const value = readLooseYaml(yaml);
  const below = isRecord(value) ? value.loom_questions : null;
  if (value === null) {
    return "The block with `loom_questions:` is not readable as YAML. Put texts with a colon between quotes.";
  }
  const block = Array.isArray(below) ? { questions: below } : below;
  if (!isRecord(block)) {
    return "`loom_questions:` has to hold `complexity`, `why` and `questions`.";
  }
  const questions = listOf(block.questions)
    .flatMap((one) => readQuestion(one) ?? [])
    .slice(0, Math.min(maxQuestions, MAX_QUESTIONS));
  const complexity = readComplexity(block.complexity ?? block.task_complexity);
  if (complexity === null && questions.length === 0) {
    return "`loom_questions:` says neither how complex the task is nor what to ask. Write `complexity` and `questions`.";
  }
  return {
    complexity: complexity ?? "medium",
    why: shortText(wordOf(block.why ?? block.reason), WHY_CHARS),
    questions,
  };
}

export function readComplexity(value: unknown): Complexity | null {
  const word = wordOf(value).trim().toLowerCase();
  return word === "simple" || word === "medium" || word === "complex" ? word : null;
}

function readQuestion(value: unknown): Question | null {
  const fields = isRecord(value) ? value : { question: value };
  const text = shortLine(wordOf(fields.question ?? fields.text), TEXT_CHARS);
  if (text === "") return null;
  const options = optionsOf(fields.options ?? fields.choices).slice(0, MAX_OPTIONS);
  const usual = shortLine(wordOf(fields.default ?? fields.usual ?? fields.recommended), OPTION_CHARS);
  return {
    text,
    options,
    usual: chosen(usual, options) ?? (usual === "" ? (options[0] ?? NO_DEFAULT) : usual),
    why: shortLine(wordOf(fields.why ?? fields.reason), TEXT_CHARS),
  };
}

/** A list of words, of mappings with a text, or one mapping from letters to words. */
function optionsOf(value: unknown): string[] {
  const items = isRecord(value) ? Object.values(value) : listOf(value);
  const texts = items.slice(0, 100).map((item) => {
    if (!isRecord(item)) return wordOf(item);
    const label = wordOf(item.text ?? item.label ?? item.option ?? item.name);
    return label === "" ? wordOf(Object.values(item)[0]) : label;
  });
  const lines = texts.map((text) => shortLine(text, OPTION_CHARS).replace(/^\(?[a-f][.):]\s+/i, ""));
  return [...new Set(lines.filter((line) => line !== ""))];
}

/** The option that a letter, a number or its words mean; null when it is none of them. */
export function chosen(word: string, options: readonly string[]): string | null {
  const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
  const exact = options.find((option) => same(option, word));
  if (exact !== undefined) return exact;
  const [, letter = "", rest = ""] = /^(?:option\s+)?\(?([a-z])(?:[.):]+\s*(.*))?$/i.exec(word) ?? [];
  if (letter !== "" && (rest === "" || options.some((option) => same(option, rest)))) {
    return options[LETTERS.indexOf(letter.toLowerCase())] ?? null;
  }
  const number = /^(?:option\s+)?([1-9])[.)]?$/i.exec(word)?.[1];
  return number === undefined ? null : (options[Number(number) - 1] ?? null);
}
