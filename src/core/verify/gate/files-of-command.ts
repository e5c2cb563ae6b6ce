import { programName } from "../../policy/shell/program-name.ts";
import { type ShellCommand, type ShellWord, UNKNOWN } from "../../policy/shell/shell-script.ts";
import { splitAnyShell } from "../../policy/shell/split-shell.ts";
import { SHELLS } from "../../policy/shell/wrappers.ts";
import { resolvePath } from "./resolve-path.ts";

/** A file that a command of the gate gets its meaning from, by its path from the root. */
export type NamedFile = {
  readonly path: string;
  /**
   * `script`: it is run or configures what is; one that the base lacks is none of the base's gate. `data`: it is compared
   * with, or is one of the tests; a new one is no harm. `folder`: the same of all that is in it.
   */
  readonly kind: "script" | "data" | "folder";
  /** The path is a pattern of the shell's. */
  readonly isGlob: boolean;
  readonly isShell: boolean;
};

const INTERPRETERS = new Set([
  ...SHELLS,
  ...[".", "source", "node", "nodejs", "bun", "deno", "tsx", "ts-node", "ts-node-esm", "zx", "pypy", "pypy3"],
  ...[
    "ruby",
    "perl",
    "php",
    "lua",
    "rscript",
    "julia",
    "elixir",
    "escript",
    "groovy",
    "pwsh",
    "expect",
    "go",
  ],
]);
const PYTHON = /^python[\d.]*$/;

/** Words between such a program and its script. */
const SUBCOMMANDS = new Set(["run", "watch", "exec", "test"]);

/** They run what the rest of their words say. */
const STARTERS = new Set([
  "npx",
  "bunx",
  "pnpx",
  "yarn",
  "pnpm",
  "dlx",
  "c8",
  "nyc",
  "coverage",
  "cross-env",
  "dotenv",
]);

const TEST_RUNNERS = new Set([
  ...["vitest", "jest", "mocha", "ava", "tap", "tape", "jasmine", "pytest", "py.test", "nose2", "phpunit"],
  ...["rspec", "bats", "prove", "cucumber", "cucumber-js", "playwright", "uvu"],
]);
/** Of these, a folder means every file in it. */
const TAKES_FOLDERS = new Set(["mocha", "bats", "tap", "tape", "jasmine", "prove", "uvu"]);

const COMPARERS = new Set(["diff", "cmp", "colordiff"]);
const TASK_PROGRAMS = new Set([
  "make",
  "gmake",
  "just",
  "task",
  "rake",
  "ant",
  "awk",
  "gawk",
  "docker-compose",
  "docker",
]);

const LONG_OPTION =
  /^--(?:config|config-file|configfile|configuration|rcfile|init-file|makefile|justfile|taskfile|file|project|require|import|loader|experimental-loader|setup-files?|setupfiles|settings|test-setup|globals?etup|env-file|build-file|init-script|spec|reporter|inifile|confcutdir)$/i;
const FOLDER_OPTION = /^(?:-C|--prefix|--cwd|--dir|--directory|--root|--rootdir|--manifest-path)$/;

/** What a text of shell names where commands take scripts, settings and tests from. `folder`: where it is run. */
export function filesOfCommand(text: string, folder = "."): NamedFile[] {
  const folders = new Set([folder, "."]);
  const found: NamedFile[] = [];
  for (const command of splitAnyShell(text).commands) {
    const words = withoutAssignments(command.words);
    for (const where of foldersOf(words))
      for (const one of [...folders]) add(folders, resolvePath(one, where));
    for (const { word, kind, isShell } of namedBy(words, command.redirections)) {
      // What only the running shell knows is mostly the folder of the script, or the root.
      const known = word.text.slice(word.text.lastIndexOf(UNKNOWN) + 1).replace(/^\/+/, "");
      if (known === "") continue;
      for (const one of folders) {
        const path = resolvePath(one, known);
        if (path !== null) found.push({ path, kind, isGlob: word.expands, isShell });
      }
    }
  }
  return found;
}

/** A text that goes into many folders could mean any of their combinations. */
const MOST_FOLDERS = 20;

function add(folders: Set<string>, folder: string | null): void {
  if (folder !== null && folders.size < MOST_FOLDERS) folders.add(folder);
}

function withoutAssignments(words: readonly ShellWord[]): readonly ShellWord[] {
  const at = words.findIndex(({ text }) => !/^[A-Za-z_]\w*=/.test(text));
  return at === -1 ? [] : words.slice(at);
}

function foldersOf(words: readonly ShellWord[]): string[] {
  const program = programName(words[0]);
  if (program === "cd" || program === "pushd") return words.slice(1, 2).map(({ text }) => text);
  return words.flatMap(({ text }, at) => (FOLDER_OPTION.test(text) ? (words[at + 1]?.text ?? []) : []));
}

type Named = Pick<NamedFile, "kind" | "isShell"> & { readonly word: ShellWord };

function namedBy(words: readonly ShellWord[], redirections: ShellCommand["redirections"]): Named[] {
  const [first, ...rest] = words;
  const data = redirections.flatMap((one): Named[] =>
    one.kind === "input" ? [named("data", plain(one.from))] : [],
  );
  if (!first) return data;
  const program = programName(first);
  const own = first.text.includes("/") ? [named("script", first, true)] : [];
  return [...data, ...own, ...optionsOf(program, rest), ...operandsOf(program, rest)];
}

function operandsOf(program: string | null, rest: readonly ShellWord[]): Named[] {
  const short = shortOptions(program);
  const isValue = (before = ""): boolean => LONG_OPTION.test(before) || short.includes(before);
  const operands = rest.filter(({ text }, at) => !/^[-+]/.test(text) && !isValue(rest[at - 1]?.text));
  if (program === null || INTERPRETERS.has(program) || PYTHON.test(program)) {
    const scripts = operands.filter(({ text }) => !SUBCOMMANDS.has(text));
    const isShell = program !== null && (SHELLS.has(program) || program === "." || program === "source");
    const tests = rest.some(({ text }) => text === "--test")
      ? scripts.flatMap((word) => [named("data", word), named("folder", word)])
      : [];
    // Options may take a word; so the first that looks like a file counts as well as the first.
    const files = [scripts[0], scripts.find(({ text }) => /[./]/.test(text))].flatMap((word) => word ?? []);
    return [...files.map((word) => named("script", word, isShell)), ...tests, ...modulesOf(rest)];
  }
  if (STARTERS.has(program)) {
    const at = rest.findIndex(({ text }) => !/^[-+]|=/.test(text) && !SUBCOMMANDS.has(text));
    return at === -1 ? [] : namedBy(rest.slice(at), []);
  }
  if (TEST_RUNNERS.has(program))
    return operands.flatMap((word) => [
      named("data", word),
      ...(TAKES_FOLDERS.has(program) ? [named("folder", word)] : []),
    ]);
  return COMPARERS.has(program) ? operands.map((word) => named("data", word)) : [];
}

/** Python looks for a module in the folder that it runs in before it looks where modules are installed. */
function modulesOf(rest: readonly ShellWord[]): Named[] {
  return rest.flatMap(({ text }, at): Named[] => {
    const name = text === "-m" ? rest[at + 1]?.text.replaceAll(".", "/") : undefined;
    if (name === undefined) return [];
    return [".py", "/__main__.py", "/__init__.py"].map((end) => named("script", plain(`${name}${end}`)));
  });
}

function optionsOf(program: string | null, rest: readonly ShellWord[]): Named[] {
  const short = shortOptions(program);
  return rest.flatMap((word, at): Named[] => {
    const [option = "", value] = word.text.split("=", 2);
    if (!LONG_OPTION.test(option) && !short.includes(option)) return [];
    const taken = value === undefined ? rest[at + 1] : { ...word, text: value };
    return taken ? [named("script", taken)] : [];
  });
}

function shortOptions(program: string | null): readonly string[] {
  if (program === null) return [];
  if (TASK_PROGRAMS.has(program)) return ["-f", "-t"];
  if (INTERPRETERS.has(program)) return ["-r", "-P"];
  return TEST_RUNNERS.has(program) || /^(?:tsc|ruff|mypy|eslint|flake8|pylint|tox|nox)$/.test(program)
    ? ["-c", "-r", "-p"]
    : [];
}

function named(kind: NamedFile["kind"], word: ShellWord, isShell = false): Named {
  return { kind, word, isShell };
}

function plain(text: string): ShellWord {
  return { text, bare: true, expands: false };
}
