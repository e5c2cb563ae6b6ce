import { programName } from "../../policy/shell/program-name.ts";
import { type ShellWord, UNKNOWN } from "../../policy/shell/shell-script.ts";
import { splitAnyShell } from "../../policy/shell/split-shell.ts";
import { resolvePath } from "./resolve-path.ts";
import { isToolFolder } from "./under-test.ts";

/** A file, or a pattern of files, that stands somewhere in a text of shell. */
export type MentionedFile = { readonly path: string; readonly isGlob: boolean };

/** Their words are what is looked at, not what it is compared with. */
const LOOKS = new Set([
  ...[
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "test",
    "[",
    "[[",
    "ls",
    "echo",
    "printf",
    "true",
    "false",
    ":",
    "stat",
  ],
  ...["mkdir", "rm", "touch", "cp", "mv", "git", "exit", "file", "which", "command"],
]);
/** The same, unless something is compared with what they read, or runs it. */
const READERS = new Set(["cat", "head", "tail", "wc", "jq", "yq", "sort", "sed", "awk", "tr", "cut"]);
const USES_READ = /(?<![\w./-])(?:diff|cmp|comm|eval|xargs|sh|bash|read)(?![\w./-])/;

const LOOP = /\b(?:for|select)[ \t]+\w+[ \t]+in[ \t]+([^;\n]{1,2000})/g;
const ASSIGNED = /(?:^|[\s;&|(])\w+=(["']?)([\w./*?@+-]{1,200})\1/g;
/** `-f golden.txt` of `grep` holds what is looked for. */
const PATTERN_FILE = /^-[A-Za-z]*f$/;

/**
 * What else a text of shell mentions: lists of loops, values of variables, expectations. Where `filesOfCommand` knows what a
 * word is to its program, this takes every word that could be a path; whoever asks leaves out what is under test.
 */
export function wordsOfCommand(text: string, folder = "."): MentionedFile[] {
  const uses = usesRead(text);
  const words: ShellWord[] = [];
  for (const { words: all } of splitAnyShell(text).commands) {
    const program = programName(all[0]);
    if (program !== null && LOOKS.has(program))
      words.push(...all.filter((_word, at) => PATTERN_FILE.test(all[at - 1]?.text ?? "")));
    else if (program === null || uses || !READERS.has(program)) words.push(...all);
  }
  for (const [, list = ""] of text.matchAll(LOOP))
    words.push(...splitAnyShell(`: ${list}`).commands.flatMap((command) => command.words));
  for (const [, , value = ""] of text.matchAll(ASSIGNED))
    words.push({ text: value, bare: true, expands: /[*?]/.test(value) });
  return words.flatMap((word) => mentioned(word, folder));
}

/** Whether a text only looks at files, so that nothing but those decides over what comes of it. */
export function isPlainLook(text: string): boolean {
  return (
    !usesRead(text) &&
    splitAnyShell(text).commands.every(({ words }) => {
      const program = words.length === 0 ? ":" : programName(words[0]);
      return program !== null && (LOOKS.has(program) || READERS.has(program));
    })
  );
}

/** Whether something is compared, as in `[ "$(cat a)" = b ]`, or runs. A break may stand on either side of the sign. */
function usesRead(text: string): boolean {
  if (USES_READ.test(text)) return true;
  return text.split(/[;|&]/).some((part) =>
    part.split("\n").some((line, at, lines) => {
      const test = line.search(/\[|\btest\b/);
      if (test < 0) return false;
      return /\s!?==?\s/.test(`${line.slice(test + 1)}\n${lines[at + 1]?.slice(0, 3) ?? ""}`);
    }),
  );
}

function mentioned({ text, expands }: ShellWord, folder: string): MentionedFile[] {
  // The value of `--expect=golden.txt`.
  const value = text.replace(/^-[\w-]*=/, "");
  const isUnder = value.includes(UNKNOWN);
  const known = value.slice(value.lastIndexOf(UNKNOWN) + 1).replace(/^\/+/, "");
  if (!/^[\w@.+*?[\]{},/ -]{1,300}$/.test(known) || /^[-.]?$/.test(known) || known.startsWith("-")) return [];
  return [...new Set([folder, "."])].flatMap((from): MentionedFile[] => {
    const path = resolvePath(from, known);
    if (path === null || path === ".") return [];
    const isGlob = expands || /[*?]/.test(path);
    return [
      { path, isGlob },
      // A folder of scripts, as in `run-parts ci`.
      ...(!isGlob && isToolFolder(path) ? [{ path: `${path}/**`, isGlob: true }] : []),
      // Only the running shell knows in which folder.
      ...(isUnder && /\.\w+$/.test(path) ? [{ path: `**/${path}`, isGlob: true }] : []),
    ];
  });
}
