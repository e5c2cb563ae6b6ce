import { USD_PER_MILLION_TOKENS } from "../../budget/charge.ts";
import type { Spent } from "../../task/task-cause.ts";
import { formatElapsed } from "../../text/durations.ts";

/** Why a task ends without what was asked for, and what the next session is told; the same on GitHub and in terminals. */
export const taskTexts = {
  overBudget: ({ usd, isGuess, cutOffUsd, limits }: Extract<Spent, { kind: "budget" }>): string =>
    [
      `Its budget of ${dollars(usd)} is used up.`,
      isGuess
        ? `Where nobody names the cost, a million tokens count as ${dollars(USD_PER_MILLION_TOKENS)}.`
        : "",
      cutOffUsd === null
        ? ""
        : `A session that is cut off counts as ${dollars(cutOffUsd)} more than was heard of it.`,
      raised(limits),
    ]
      .filter((part) => part !== "")
      .join(" "),
  overTime: (secs: number, limits: readonly string[]): string =>
    `Its time of ${formatElapsed(secs * 1000)} is used up. ${raised(limits)}`.trimEnd(),
  broken: (): string => "Something went wrong inside Loom again and again; its operator has been told.",
  /** Who asked may not ask any more. */
  roleLost: (who: {
    readonly by: string;
    readonly verb: string;
    readonly least: string;
    readonly role: string;
  }): string =>
    `\`${who.verb}\` takes the role \`${who.least}\` or more in this repository, and that of ${who.by} is \`${who.role}\` by now.`,
  roleLostNext: (): string => "Somebody who has it can ask for it.",
  tooOften: (times: number): string => `Gave up after ${times} attempts.`,
  noReason: (): string => "It failed without a reason.",
  noWords: (): string => "The agent ended without a word.",
  noPolicyAnswer: (question: string): string =>
    `Nobody is there to ask, and this work only reads. (${question})`,
  tooLarge: (): string => "It does not fit into the model's context. Ask for a smaller part.",
};

function raised(limits: readonly string[]): string {
  const settings = limits.filter((name) => !name.startsWith("--")).map((name) => `\`${name}\``);
  const options = limits.filter((name) => name.startsWith("--")).map((name) => `a larger \`${name}\``);
  const named = settings.length === 0 ? [] : [`${settings.join(" and ")} in \`.github/loom.yml\``];
  const [first = "", ...more] = [...named, ...options];
  if (limits.length === 0) return "";
  if (limits.length > 1) return `Raising it takes ${[first, ...more].join(", and ")}.`;
  return `${first.charAt(0).toUpperCase()}${first.slice(1)} raises it.`;
}

function dollars(usd: number): string {
  return `$${usd.toFixed(2)}`;
}
