import { assertNever } from "../errors.ts";
import { resolveInTree } from "../paths/tree-path.ts";
import { quote } from "../text/quote.ts";
import { wordsIn } from "../text/words-in.ts";
import type { Command, Verb } from "./command.ts";
import { COMMANDS, type Positional } from "./commands.ts";
import { NO_OPTIONS, type OptionValues, readOption } from "./read-option.ts";
import type { TextVerb } from "./read-text.ts";
import type { Reading, Wrong } from "./reading.ts";
import { splitWords, type Word } from "./split-words.ts";
import { notAStage, toStage } from "./to-stage.ts";

type Values = OptionValues & {
  path: string | null;
  sha: string | null;
  stage: string | null;
  text: string;
};
type WordVerb = Exclude<Verb, TextVerb>;

/** Everything behind the verb and, up to the next command, below it, for all but those whose words are their text. */
export function readArguments(verb: WordVerb, text: string, below: readonly string[]): Reading {
  const { positionals, options, usage } = COMMANDS[verb];
  const wrong = (message: string, suggestion = usage): Wrong => ({ kind: "wrong", message, suggestion });
  const values: Values = {
    path: null,
    sha: null,
    stage: null,
    ...NO_OPTIONS,
    text: below.join("\n"),
  };
  const words = splitWords(text);
  const expected = [...positionals];
  for (let at = 0; at < words.length; at += 1) {
    const { option, text: word } = words[at] ?? { option: null, text: "" };
    if (option === null) {
      const next = takeNext(expected, words, at);
      if (!next) return wrong(tooMuch(verb, word, values), withoutRest(verb, words, at));
      if (next.name === "text") {
        const late = words.slice(at).find((one) => options.some(({ name }) => name === one.option));
        if (late) return wrong(`${quote(late.text)} has to stand before the words for the planner.`);
        values.text = [text.slice(words[at]?.at), ...below].join("\n");
        break;
      }
      const problem = readWord(next.name, word, values);
      if (problem) return wrong(problem);
      continue;
    }
    const next = readOption(verb, words, at, values);
    if (typeof next !== "number") return next;
    at = next - 1;
  }
  const missing = expected.find(({ required }) => required);
  if (missing) return wrong(`\`${verb}\` needs the name of a ${missing.name}.`);
  if (values.express && values.depth !== null)
    return wrong("`--express` designs nothing, so it can't go with `--depth`.", `/loom ${verb} --express`);
  return { kind: "command", command: build(verb, values) };
}

/** What the word is read as. Where both may stand, it is the path of a plan only if it looks like one. */
function takeNext(expected: Positional[], words: readonly Word[], at: number): Positional | undefined {
  const next = expected.shift();
  if (next?.name !== "path" || expected[0]?.name !== "text") return next;
  const word = words[at]?.text ?? "";
  const text = expected.shift();
  const isAlone = words.slice(at + 1).every(({ option }) => option !== null);
  return PLAN_FILE.test(word) || (isAlone && /[/\\]/.test(word)) ? next : text;
}

const PLAN_FILE = /\.(?:md|markdown|ya?ml)$/i;

function tooMuch(verb: WordVerb, word: string, { path }: Values): string {
  return path === null
    ? `\`${verb}\` can't use ${quote(word)}.`
    : `\`${verb}\` can't use ${quote(word)} behind the path of a plan. Words for a planner stand in lines of their own, without a path.`;
}

function readWord(name: "path" | "sha" | "stage", word: string, values: Values): string | null {
  switch (name) {
    case "stage":
      values.stage = toStage(word);
      return values.stage === null ? notAStage(word) : null;
    case "sha":
      values.sha = word.toLowerCase();
      return /^[0-9a-f]{7,64}$/.test(values.sha)
        ? null
        : `${quote(word)} is not a commit: it takes 7 to 64 hexadecimal digits.`;
    case "path": {
      const resolved = resolveInTree(".", word);
      if (resolved.kind === "refused") return `The path ${quote(word)} ${resolved.reason}.`;
      if (word.includes("\\")) return `The path ${quote(word)} has to be written with \`/\`.`;
      if (resolved.path === ".") return `The path ${quote(word)} names no file.`;
      values.path = resolved.path;
      return null;
    }
    default:
      return assertNever(name);
  }
}

/** The line up to the word that is too much. */
function withoutRest(verb: Verb, words: readonly Word[], at: number): string {
  const kept = words.slice(0, at).map(({ text }) => text);
  return ["/loom", verb, ...kept].join(" ").slice(0, 200);
}

function build(verb: WordVerb, values: Values): Command {
  const { path, sha, stage, budget, harness, express, depth } = values;
  const text = wordsIn(values.text);
  switch (verb) {
    case "run":
      return { verb, path, budgetUsd: budget, harness, express, depth, text };
    case "plan":
      return { verb, path, depth, text };
    case "approve":
      return { verb, sha };
    case "retry":
      return { verb, stage };
    case "skip":
    case "take":
      return { verb, stage: stage ?? "" };
    case "status":
    case "pause":
    case "resume":
    case "cancel":
    case "archive":
    case "help":
      return { verb };
    default:
      return assertNever(verb);
  }
}
