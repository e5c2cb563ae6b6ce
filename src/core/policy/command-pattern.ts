import { matchesGlob } from "./matches-glob.ts";
import { canonicalFlags, longNamesOf } from "./shell/flag-names.ts";
import type { ShellWord } from "./shell/shell-script.ts";

/** A command as a rule names it: `git clean -fd` means any call of that subcommand with both flags, however written. */
export type CommandPattern = {
  readonly written: string;
  /** All of these are globs. */
  readonly program: string;
  /** The words that have to stand first behind the program, flags aside. */
  readonly words: readonly string[];
  /** Letters and long names without their dashes; `--` is itself. */
  readonly flags: readonly string[];
};

export function parseCommandPattern(written: string): CommandPattern {
  const [program = "", ...rest] = written.trim().split(/\s+/);
  const name = program.toLowerCase();
  const words = rest.filter((word) => !word.startsWith("-"));
  const flags = rest
    .filter((word) => word.startsWith("-"))
    .flatMap((flag) => canonicalFlags(name, words[0], flag));
  return { written, program: name, words, flags };
}

/** A program that only the running shell knows is taken for any that so much of the rest speaks for. */
const ENOUGH_FOR_UNKNOWN = 2;

/** `program` is the name that the first of the words stands for; given, because many patterns are compared with it. */
export function matchesCommand(
  pattern: CommandPattern,
  program: string | null,
  words: readonly ShellWord[],
): boolean {
  const demands = pattern.words.length + pattern.flags.length;
  if (program === null ? demands < ENOUGH_FOR_UNKNOWN : !matchesGlob(pattern.program, program)) return false;
  if (demands === 0) return true;
  const name = program ?? pattern.program;
  const given = splitArguments(name, words);
  if (!pattern.words.every((word, at) => matchesGlob(word, given.words[at] ?? ""))) return false;
  const flags = new Set(given.flags.flatMap((flag) => canonicalFlags(name, given.words[0], flag)));
  return pattern.flags.every((flag) => flags.has(flag) || isAbbreviated(flag, flags, name, given.words[0]));
}

/** `--rec` for `--recursive`: programs take any beginning that is clear enough. */
function isAbbreviated(
  flag: string,
  given: ReadonlySet<string>,
  program: string,
  subcommand: string | undefined,
): boolean {
  const names = longNamesOf(program, subcommand, flag);
  return [...given].some((one) => one.length > 1 && names.some((name) => name.startsWith(one)));
}

type Arguments = { readonly words: readonly string[]; readonly flags: readonly string[] };

/** Options of git itself that take the next word. */
const GIT_VALUED = new Set([
  "-C",
  "-c",
  "--git-dir",
  "--work-tree",
  "--namespace",
  "--config-env",
  "--attr-source",
]);

function splitArguments(program: string, [, ...rest]: readonly ShellWord[]): Arguments {
  const words: string[] = [];
  const flags: string[] = [];
  for (let at = 0; at < rest.length; at += 1) {
    const text = (rest[at]?.text ?? "").trim();
    if (text === "--") {
      flags.push(text);
      words.push(...rest.slice(at + 1).map((word) => word.text));
      break;
    }
    if (!text.startsWith("-") || text === "-") words.push(text);
    else if (program === "git" && words.length === 0) at += GIT_VALUED.has(text) ? 1 : 0;
    else flags.push(text);
  }
  return { words, flags };
}
