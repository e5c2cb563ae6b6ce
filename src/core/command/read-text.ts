import { wordsIn } from "../text/words-in.ts";
import type { Command, Verb } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { NO_OPTIONS, type OptionValues, readOption, unknownOption } from "./read-option.ts";
import type { Reading, Wrong } from "./reading.ts";
import { splitWords, type Word } from "./split-words.ts";
import { AUDITS, isAudit } from "./task-kinds.ts";

/** Whose words are their text. */
const TEXT_VERBS = ["revise", "answer", "ask", ...AUDITS] as const;
export type TextVerb = (typeof TEXT_VERBS)[number];

export function isTextVerb(verb: Verb): verb is TextVerb {
  return TEXT_VERBS.some((one) => one === verb);
}

/** Text up to the end of the line, and the lines below it up to the next command. Options stand before it, on its line. */
export function readText(verb: TextVerb, text: string, below: readonly string[]): Reading {
  const { positionals, usage } = COMMANDS[verb];
  const values = { ...NO_OPTIONS };
  // An answer may be about options.
  const own = verb === "answer" ? text : readLeading(verb, text, values);
  if (typeof own !== "string") return own;
  const words = wordsIn([own, ...below].join("\n"));
  if (words === "" && positionals.some(({ required }) => required))
    return { kind: "wrong", message: `\`${verb}\` needs some words behind it.`, suggestion: usage };
  return { kind: "command", command: build(verb, words, values) };
}

/** Two dashes, or the one that phones make of them. */
const END = /^(?:--|[\u2013\u2014])(?=\s|$)/;

/** What stands behind the options. Only those that come first are any: a text may well speak of options. */
function readLeading(verb: TextVerb, text: string, values: OptionValues): string | Wrong {
  const words = splitWords(text);
  let at = 0;
  for (let word = words[at]; word && isOption(verb, word, text); word = words[at]) {
    const next = hasOption(verb, word)
      ? readOption(verb, words, at, values)
      : unknownOption(verb, word.option ?? "", ASIDE);
    if (typeof next !== "number") return next;
    at = next;
  }
  const from = at === 0 ? 0 : words[at]?.at;
  return from === undefined ? "" : text.slice(from).replace(END, "");
}

const ASIDE = "; where it belongs to your words, write `--` before them";

/** What stands in quotes or in code is talked about, and a sentence may begin with one dash. */
function isOption(verb: TextVerb, word: Word, text: string): boolean {
  const isWrapped = text.charAt(word.at) !== word.text.charAt(0);
  if (word.option === null || isWrapped) return false;
  return !/^-[^-]/.test(word.text) || hasOption(verb, word);
}

function hasOption(verb: TextVerb, { option }: Word): boolean {
  return COMMANDS[verb].options.some(({ name }) => name === option);
}

function build(verb: TextVerb, text: string, { harness, budget }: OptionValues): Command {
  return verb === "ask" || isAudit(verb) ? { verb, text, harness, budgetUsd: budget } : { verb, text };
}
