import { table } from "../table.ts";
import { plainLines } from "../text/escape-text.ts";
import { nearestName } from "../text/nearest-name.ts";
import { quote } from "../text/quote.ts";
import type { Command, Mistake, ParsedComment, ReadCommand, Verb } from "./command.ts";
import { ALIASES, COMMANDS, isVerb, VERBS } from "./commands.ts";
import { findCommandLines } from "./find-command-lines.ts";
import type { CommandLine } from "./paragraph.ts";
import { readArguments } from "./read-arguments.ts";
import { isTextVerb, readText } from "./read-text.ts";
import type { Reading } from "./reading.ts";
import { splitFirst, unwrap } from "./split-words.ts";

export const MAX_COMMANDS = 5;

/** The commands of a comment. Whatever the text is, the time is linear in its length, and nothing is thrown (T25). */
export function parseCommands(body: string): ParsedComment {
  const { lines, found } = findCommandLines(body);
  let above = lines.slice(0, found[0]?.index ?? 0);
  const items = found.slice(0, MAX_COMMANDS).map((one, place): ReadCommand | Mistake => {
    const below = lines.slice(one.index + 1, found[place + 1]?.index ?? lines.length);
    const reading = readLine(one, below);
    const line = one.index + 1;
    const before = plainLines(above.join("\n")).trim();
    const isTaken = reading.kind === "command" && "text" in reading.command;
    if (!isTaken) above = [...above, ...below];
    return reading.kind === "command"
      ? { kind: "command", line, command: reading.command, above: before }
      : { ...reading, kind: "mistake", line };
  });
  return {
    items,
    commands: items.flatMap((item) => (item.kind === "command" ? [item.command] : [])),
    mistakes: items.filter((item) => item.kind === "mistake"),
    unread: found.length - items.length,
  };
}

/** The command with what its author said above it: they see one comment, and mean all of it. An answer says what it says. */
export function withWordsAbove({ command, above }: Pick<ReadCommand, "command" | "above">): Command {
  if (above === "" || !("text" in command) || command.verb === "answer") return command;
  return { ...command, text: command.text === "" ? above : `${command.text}\n\n${above}` };
}

/** Whether the body of a new issue asks for a run of its own. */
export function asksForRun(body: string): boolean {
  return parseCommands(body).commands.some(({ verb }) => verb === "run");
}

const DOUBTS = {
  quote:
    "The command stands right below a quote, so it counts as a part of it. Leave an empty line between them.",
  unclear:
    "Something above the command could hide it from readers, so it does not count. Give the command in a comment of its own.",
} as const;

function readLine({ rest, doubt }: CommandLine, below: readonly string[]): Reading {
  const [written, behind] = splitFirst(rest);
  const said = unwrap(written).toLowerCase();
  const word = Object.hasOwn(ALIASES, said) ? (ALIASES[said] ?? said) : said;
  if (doubt) {
    const suggestion = isVerb(word) ? COMMANDS[word].usage : "/loom help";
    return { kind: "wrong", message: DOUBTS[doubt], suggestion };
  }
  if (word === "") {
    return { kind: "wrong", message: "No command stands behind `/loom`.", suggestion: "/loom help" };
  }
  if (!isVerb(word)) return unknownVerb(word, behind);
  return readVerb(word, behind, below);
}

function readVerb(verb: Verb, behind: string, below: readonly string[]): Reading {
  return isTextVerb(verb) ? readText(verb, behind, below) : readArguments(verb, behind, below);
}

/** Words of other tools for the same things; they are hints only, so that there stays one word for each. */
const OTHER_WORDS: Readonly<Record<string, string>> = table({
  abort: "cancel",
  accept: "approve",
  again: "retry",
  accessibility: "a11y-audit",
  amend: "revise",
  audit: "security-audit",
  build: "run",
  change: "revise",
  close: "archive",
  commands: "help",
  compliance: "compliance-check",
  continue: "resume",
  go: "run",
  hold: "pause",
  implement: "run",
  info: "status",
  kill: "cancel",
  lgtm: "approve",
  ok: "approve",
  perf: "perf-check",
  performance: "perf-check",
  question: "ask",
  replan: "revise",
  reply: "answer",
  rerun: "retry",
  restart: "retry",
  security: "security-audit",
  seo: "seo-audit",
  start: "run",
  stop: "cancel",
  usage: "help",
  wait: "pause",
});

function unknownVerb(word: string, behind: string): Reading {
  const other = Object.hasOwn(OTHER_WORDS, word) ? OTHER_WORDS[word] : undefined;
  const near = other ?? nearestName(word, VERBS);
  const wrong = { kind: "wrong", message: `There is no command ${quote(word)}.`, about: "verb" } as const;
  if (!near || !isVerb(near)) return { ...wrong, suggestion: "/loom help" };
  // What stands behind the wrong word is kept when the right one can take it.
  const again = readVerb(near, behind, []);
  const fits = again.kind === "command" && behind !== "" && behind.length <= 100;
  if (fits) return { ...wrong, suggestion: `/loom ${near} ${behind}` };
  return { ...wrong, suggestion: COMMANDS[near].usage };
}
