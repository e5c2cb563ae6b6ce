import { DEPTHS, type Depth } from "../errand/errand-events.ts";
import { AUDITS } from "../errand/errand-kinds.ts";
import { assertNever } from "../errors.ts";
import { isId } from "../ids.ts";
import { nearestName } from "../plan/nearest-name.ts";
import { resolveInTree } from "../plan/tree-path.ts";
import { plainLines } from "../report/escape-text.ts";
import { quote } from "../verify/quote.ts";
import type { Command, Verb } from "./command.ts";
import { COMMANDS, type Positional } from "./commands.ts";
import { splitWords, type Word } from "./split-words.ts";
import { notAStage, toStage } from "./to-stage.ts";

/** What the line asks for, or what is wrong with it. */
export type Reading =
  | { readonly kind: "command"; readonly command: Command }
  | { readonly kind: "wrong"; readonly message: string; readonly suggestion: string };

type Values = {
  path: string | null;
  sha: string | null;
  stage: string | null;
  budget: number | null;
  harness: string | null;
  express: boolean;
  depth: Depth | null;
  text: string;
};
/** Whose words are their text. */
const TEXT_VERBS = ["revise", "answer", "ask", ...AUDITS] as const;
type TextVerb = (typeof TEXT_VERBS)[number];
type WordVerb = Exclude<Verb, TextVerb>;

export function isTextVerb(verb: Verb): verb is TextVerb {
  return TEXT_VERBS.some((one) => one === verb);
}

type Wrong = Extract<Reading, { kind: "wrong" }>;

const MAX_BUDGET_USD = 1_000_000;

/** Everything behind the verb and, up to the next command, below it, for all but those whose words are their text. */
export function readArguments(verb: WordVerb, text: string, below: readonly string[]): Reading {
  const { positionals, options, usage } = COMMANDS[verb];
  const wrong = (message: string, suggestion = usage): Wrong => ({ kind: "wrong", message, suggestion });
  const values: Values = {
    path: null,
    sha: null,
    stage: null,
    budget: null,
    harness: null,
    express: false,
    depth: null,
    text: below.join("\n"),
  };
  const words = splitWords(text);
  const expected = [...positionals];
  for (let at = 0; at < words.length; at += 1) {
    const { option, value: joined, text: word } = words[at] ?? { option: null, value: null, text: "" };
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
    const known = options.find(({ name }) => name === option);
    if (!known) return unknownOption(verb, option);
    if (!known.takesValue) {
      if (joined !== null) return wrong(`\`--${known.name}\` takes no value.`);
      values.express = true;
      continue;
    }
    const value = joined ?? words[at + 1]?.text ?? "";
    if (joined === null) at += 1;
    if (value === "") return wrong(`\`--${known.name}\` needs a value behind it.`);
    const problem = OPTION_READERS[known.name](value, values);
    if (problem) return wrong(problem);
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

/** Text up to the end of the line, and the lines below it up to the next command. */
export function readText(verb: TextVerb, text: string, below: readonly string[]): Reading {
  const words = plainLines([text, ...below].join("\n")).trim();
  const { positionals, usage } = COMMANDS[verb];
  if (words === "" && positionals.some(({ required }) => required))
    return { kind: "wrong", message: `\`${verb}\` needs some words behind it.`, suggestion: usage };
  return { kind: "command", command: { verb, text: words } };
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

function readBudget(text: string, values: Values): string | null {
  const [, digits] = /^(?:usd|\$)?(\d{1,9}(?:\.\d{1,4})?)(?:usd|\$)?$/i.exec(text) ?? [];
  const amount = Number(digits ?? Number.NaN);
  if (!(amount > 0 && amount <= MAX_BUDGET_USD)) {
    return `${quote(text)} is not an amount in US dollars above 0, such as \`20\` or \`7.50\`.`;
  }
  values.budget = amount;
  return null;
}

const OPTION_READERS = {
  budget: readBudget,
  harness: readHarness,
  depth: readDepth,
  express: () => null,
} as const;

function readDepth(text: string, values: Values): string | null {
  values.depth = DEPTHS.find((depth) => depth === text.toLowerCase()) ?? null;
  return values.depth === null ? `${quote(text)} is not \`quick\`, \`standard\` or \`deep\`.` : null;
}

function readHarness(text: string, values: Values): string | null {
  const name = text.toLowerCase();
  if (!isId(name)) return `${quote(text)} is not the name of a harness.`;
  values.harness = name;
  return null;
}

function unknownOption(verb: Verb, option: string): Reading {
  const { options, usage } = COMMANDS[verb];
  const near = nearestName(
    option,
    options.map(({ name }) => name),
  );
  return {
    kind: "wrong",
    message: `\`${verb}\` has no option ${quote(`--${option}`)}.`,
    suggestion: near ? `/loom ${verb} --${near}${near === "express" ? "" : " …"}` : usage,
  };
}

/** The line up to the word that is too much. */
function withoutRest(verb: Verb, words: readonly Word[], at: number): string {
  const kept = words.slice(0, at).map(({ text }) => text);
  return ["/loom", verb, ...kept].join(" ").slice(0, 200);
}

function build(verb: WordVerb, values: Values): Command {
  const { path, sha, stage, budget, harness, express, depth } = values;
  const text = plainLines(values.text).trim();
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
