import type { Judge, Judgement } from "../../../core/policy/judgement.ts";
import type { ToolAccess } from "../../../ports/harness.ts";
import { readPlainCommands } from "./plain-commands.ts";

/** Those that read, or edit, and may run nothing. */
export function runsNothing(tools: ToolAccess): tools is "read" | "edit" {
  return tools === "read" || tools === "edit";
}

/**
 * Codex has no tool that reads a file: it runs `cat`, `rg` or `sed -n`. Without its shell it would be blind, so for an agent
 * that may run nothing, this judge lets through what does no more than read.
 *
 * What it can't do: see more than the text of a command. So programs are left out that read but can be led to run something
 * by a file that the agent may write or that the tree holds (git by a repository in a folder, awk and most others by a script), and so is every
 * option by which one of these runs another program or writes. `own` is asked about what is left.
 */
export function readingJudge(own: Judge | null, tools: "read" | "edit"): Judge {
  return (call) => {
    if (call.command !== null && !onlyReads(call.command)) return REFUSED[tools];
    return own?.(call) ?? { kind: "allow" };
  };
}

export function onlyReads(text: string): boolean {
  const commands = text.length <= MAX_CHARS ? readPlainCommands(text) : null;
  if (commands === null || commands.length === 0) return false;
  return commands.every(([program = "", ...args]) => READERS.get(program)?.(args) ?? false);
}

/** Nobody reads files by more than that. */
const MAX_CHARS = 20_000;

type ArgumentCheck = (args: readonly string[]) => boolean;

const anything: ArgumentCheck = () => true;
const without =
  (pattern: RegExp): ArgumentCheck =>
  (args) =>
    !args.some((arg) => pattern.test(arg));

const ANY_ARGUMENTS =
  "basename cat cd cmp comm cut diff dirname du echo egrep fgrep grep head ls nl pwd readlink realpath stat tac tail tr true wc";

const READERS: ReadonlyMap<string, ArgumentCheck> = new Map([
  ...ANY_ARGUMENTS.split(" ").map((name) => [name, anything] as const),
  ["find", without(/^-(?:exec|ok|delete|fprint|fls)/)],
  ["rg", without(/^--(?:pre|hostname-bin|search-zip)|^-[^-]*z/)],
  ["sed", isSlice],
  // Long options may be cut short, and short ones written together.
  ["sort", without(/^-[^-]*o|^--(?:o|c(?!heck))/)],
  ["tree", without(/^-[^-]*o|^--o/)],
  // A second file would be written.
  ["uniq", (args) => args.every((arg) => arg.startsWith("-"))],
]);

/** `sed -n 1,200p file`; its other words can write files and run commands. */
function isSlice([option, lines = "", ...files]: readonly string[]): boolean {
  const slices = /^(?:\d+|\$)(?:,(?:\d+|\$))?p$/;
  return (
    option === "-n" &&
    lines.split(";").every((slice) => slices.test(slice)) &&
    files.every((file) => !file.startsWith("-"))
  );
}

const HOW_TO_READ =
  "Read with cat, head, tail, sed -n 1,200p, ls, find, grep or rg, without variables, substitutions or output to files";

const REFUSED: Readonly<Record<"read" | "edit", Judgement>> = {
  read: { kind: "deny", reason: `here you read files and run nothing. ${HOW_TO_READ}.` },
  edit: {
    kind: "deny",
    reason: `here you read and change files and run nothing. ${HOW_TO_READ}, and change files with apply_patch.`,
  },
};
