import { isId } from "../ids.ts";
import { nearestName } from "../text/nearest-name.ts";
import { quote } from "../text/quote.ts";
import type { Verb } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { DEPTHS, type Depth } from "./planning-choices.ts";
import type { Wrong } from "./reading.ts";
import type { Word } from "./split-words.ts";

/** What the options of a line say; null and false: nothing. */
export type OptionValues = {
  budget: number | null;
  harness: string | null;
  express: boolean;
  depth: Depth | null;
};

export const NO_OPTIONS: Readonly<OptionValues> = {
  budget: null,
  harness: null,
  express: false,
  depth: null,
};

const MAX_BUDGET_USD = 1_000_000;

/** Reads the option at this place into `values`, and gives the place of the word behind it and its value. */
export function readOption(
  verb: Verb,
  words: readonly Word[],
  at: number,
  values: OptionValues,
): number | Wrong {
  const { options, usage } = COMMANDS[verb];
  const wrong = (message: string): Wrong => ({ kind: "wrong", message, suggestion: usage });
  const { option, value: joined } = words[at] ?? { option: null, value: null };
  const known = options.find(({ name }) => name === option);
  if (!known) return unknownOption(verb, option ?? "");
  if (!known.takesValue) {
    if (joined !== null) return wrong(`\`--${known.name}\` takes no value.`);
    values.express = true;
    return at + 1;
  }
  const value = joined ?? words[at + 1]?.text ?? "";
  if (value === "") return wrong(`\`--${known.name}\` needs a value behind it.`);
  const problem = OPTION_READERS[known.name](value, values);
  if (problem) return wrong(problem);
  return at + (joined === null ? 2 : 1);
}

/** `otherwise`: what to do where no option was meant. */
export function unknownOption(verb: Verb, option: string, otherwise = ""): Wrong {
  const { options, usage } = COMMANDS[verb];
  const near = nearestName(
    option,
    options.map(({ name }) => name),
  );
  return {
    kind: "wrong",
    message: `\`${verb}\` has no option ${quote(`--${option}`)}${otherwise}.`,
    suggestion: near ? `/loom ${verb} --${near}${near === "express" ? "" : " …"}` : usage,
  };
}

const OPTION_READERS = {
  budget: readBudget,
  harness: readHarness,
  depth: readDepth,
  express: () => null,
} as const;

function readBudget(text: string, values: OptionValues): string | null {
  const [, digits] = /^(?:usd|\$)?(\d{1,9}(?:\.\d{1,4})?)(?:usd|\$)?$/i.exec(text) ?? [];
  const amount = Number(digits ?? Number.NaN);
  if (!(amount > 0 && amount <= MAX_BUDGET_USD)) {
    return `${quote(text)} is not an amount in US dollars above 0, such as \`20\` or \`7.50\`.`;
  }
  values.budget = amount;
  return null;
}

function readDepth(text: string, values: OptionValues): string | null {
  values.depth = DEPTHS.find((depth) => depth === text.toLowerCase()) ?? null;
  return values.depth === null ? `${quote(text)} is not \`quick\`, \`standard\` or \`deep\`.` : null;
}

function readHarness(text: string, values: OptionValues): string | null {
  const name = text.toLowerCase();
  if (!isId(name)) return `${quote(text)} is not the name of a harness.`;
  values.harness = name;
  return null;
}
