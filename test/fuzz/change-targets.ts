import { hidingLines, hidingMacros } from "../../src/core/merge/hidden-diff.ts";
import { hiddenInCode, hiddenTextIn, notShownIn } from "../../src/core/merge/hidden-text.ts";
import { npmrcEntries } from "../../src/core/merge/npmrc-entries.ts";
import { MOST_SETTINGS, newProgramSetting } from "../../src/core/merge/program-settings.ts";
import { createSecretScan } from "../../src/core/merge/secret-scan.ts";
import { findStub } from "../../src/core/verify/find-stub.ts";
import { commandsIn } from "../../src/core/verify/gate/commands-in.ts";
import { filesOfCommand } from "../../src/core/verify/gate/files-of-command.ts";
import { importsOf } from "../../src/core/verify/gate/imports-of.ts";
import { isAskedFor, reachesBeyond } from "../../src/core/verify/gate/new-tests.ts";
import { isPlainLook, wordsOfCommand } from "../../src/core/verify/gate/words-of-command.ts";
import { synthesizeGate } from "../../src/core/verify/synthesize-gate.ts";
import { fromTokens } from "./from-tokens.ts";
import type { Target } from "./target.ts";
import { YAML } from "./yaml-tokens.ts";

const CODE = [
  ...["\n", "\r\n", " ", "\t", "\\", "'", '"', "`", "(", ")", "{", "}", "[", "]", ";", ",", "=", ".", ":"],
  ...["//", "/*", "*/", "#", '"""', "<!--", "-->", "${", "=>", "a", "b.js", "./c", "1"],
];
const JS = ["import x from ", "require(", "export ", "function f() {", "return", "throw new Error(", "TODO"];
const PYTHON = [
  "from .a import b\n",
  "import c.d, e\n",
  "def f():\n",
  "  pass\n",
  "raise NotImplementedError\n",
];
const RUBY = ["class Minitest", "module ", "end\n", "at_exit", "require_relative "];
const REACHING = ["os._exit", "process.exit", "expect.", ".prototype.", "setattr(", "global", "vi."];
const SHELL = [
  ...[
    "for i in ",
    "; do ",
    "; done",
    "if [ ",
    " ] ; then ",
    "fi",
    "test ",
    " = ",
    " != ",
    "==",
    "cat ",
    "&&",
  ],
  ...[
    "|",
    "npm run ",
    "node ",
    "-f ",
    "--config=",
    "a/b.sh",
    "*.js",
    "$(",
    ")",
    "<<E\n",
    "\nE\n",
    "cd x && ",
  ],
];
const DIFF = [
  "diff --git a/x.js b/x.js\n",
  "+++ b/x.js\n",
  "@@ -1 +1 @@\n",
  "+",
  "-",
  "\n",
  "rename from a\n",
];
const UNSEEN = ["\u200b", "\u202e", "\u2028", "\u{e0041}", "\ufeff", "\u00ad", " ".repeat(200)];
const BINARY = ["Binary files a/x and b/x.js differ\n", ' and "b/\\303\\244', " and b/", "rename to b.js\n"];
const RUN_FILES = ["package.json", "Makefile", "vitest.config.ts", "justfile", "tox.ini", ".mocharc.json"];
const SOURCES = ["a.js", "a.py", "a.rb", "a.go", "a.sh", "a.c", "a.rs", "a.md", "a.json", "a.html"];
const GATE_FILES = [
  "CMakeLists.txt",
  "deno.json",
  "Makefile",
  "package.json",
  "pyproject.toml",
  "Cargo.toml",
];
const SETTINGS = [".npmrc", ".yarnrc", ".yarnrc.yml", "pnpm-workspace.yaml", "bunfig.toml"];

const secrets = createSecretScan({
  DB_PASS: "hunter2hunter2hunter2",
  GITHUB_PAT: "ghp_0123456789abcdefghij0123456789abcdef",
});
const BASE = new Set(["b.js", "c/index.js", "a/b.py", "c.ts"]);

/** What an agent changed, read before it is published, checked or run. */
export const CHANGE_TARGETS: readonly Target[] = [
  {
    name: "program-settings",
    read: (text) =>
      SETTINGS.map((path) => [newProgramSetting(path, null, text), newProgramSetting(path, text, "a: 1\n")]),
    texts: fromTokens([
      ...YAML,
      "yarnPath: ",
      "plugins:\n",
      "script-shell=",
      "//a/:tokenHelper=",
      "${",
      "[a]\n",
    ]),
    pieces: ['"', "[", "{", "a: 1\n", "a=1\n", "- ", "&a ", "*a ", "\n", "\r", " ", "yarn "],
    most: MOST_SETTINGS,
  },
  {
    name: "npmrc-entries",
    read: npmrcEntries,
    texts: fromTokens([
      "[",
      "]",
      "=",
      "\n",
      "\r",
      ";",
      "#",
      "\\",
      '"',
      "'",
      "a",
      "[]",
      " ",
      "$",
      "{X}",
      "\\u0041",
    ]),
    pieces: ["a=1\n", "[a]\n", "\\;", '"', " ", "\n", "[]", "="],
    most: MOST_SETTINGS,
  },
  {
    name: "new-tests",
    read: (text) => [reachesBeyond(text), isAskedFor("test/a.test.js", [text])],
    texts: fromTokens([...CODE, ...JS, ...PYTHON, ...RUBY, ...REACHING]),
    pieces: [
      "\n",
      "\r",
      " ",
      "class ",
      "os.a",
      "os.a ",
      "a.b\n",
      ".prototype.",
      "exec ",
      "expect",
      "setattr ",
    ],
    most: 1_000_000,
  },
  {
    name: "words-of-command",
    read: (text) => [wordsOfCommand(text), isPlainLook(text)],
    texts: fromTokens([...SHELL, ...CODE]),
    pieces: ["[", "[ ", "test ", "a = ", " =", "\n", " ", "for a in b ", "a=b ", "cat ", "a/", "*", "for "],
  },
  {
    name: "files-of-command",
    read: (text) => filesOfCommand(text),
    texts: fromTokens([...SHELL, ...CODE]),
    pieces: ["node a.js ", "cd a && ", "-f ", "--a=", "npm run ", "\n", "a/", "sh -c ", "env A=b "],
  },
  {
    name: "commands-in",
    read: (text) => RUN_FILES.map((name) => commandsIn(name, text)),
    texts: fromTokens([
      ...CODE,
      '{"scripts":{"test":"x"}}',
      "test:\n\t",
      "setupFiles: [",
      "require: ",
      "\\\n",
    ]),
    pieces: ["a:\n", "\t", "\\\n", "setupFiles: [", 'require: "', "reporter", "{", '{"a":', "\n", "["],
  },
  {
    name: "imports-of",
    read: (text) => ["a.js", "a/a.py"].map((path) => importsOf(path, text, BASE)),
    texts: fromTokens([...CODE, ...JS, ...PYTHON]),
    pieces: ["'b.js'", "'", "import a, ", "from . import a\n", "from ", "import ", "../", ".", "\t", "a,"],
  },
  {
    name: "find-stub",
    read: (text) => SOURCES.map((path) => findStub(path, text)),
    texts: fromTokens([...CODE, ...JS, ...PYTHON, ...RUBY, "# T\n", "- \n", "todo!()", "unimplemented!()"]),
    pieces: ["/*", "//", "#", "{", "(", "'", "`", '"""', "<!--", "\n", "a\n", ";", "TODO ", "${", "class "],
  },
  {
    name: "synthesized-gate",
    read: (text) => synthesizeGate([...GATE_FILES, "test/a.js"], () => text),
    texts: fromTokens([
      ...CODE,
      '"tasks": {',
      '"test": ',
      "enable_testing()",
      "test:",
      "check ::",
      "[tool.pytest]\n",
    ]),
    pieces: ["\n", "\r", " ", '"tasks": {', '"test"', "include (", "test ", "[tool.", "{", '"'],
  },
  {
    name: "hidden-text",
    read: (text) => [hiddenTextIn(text), hiddenInCode(text), notShownIn(text, new Set(["x.js"]))],
    texts: fromTokens([...DIFF, ...UNSEEN, ...BINARY, "\0", '"', "\\"]),
    pieces: ["+a\n", "+++ b/x\n", "\u200b", " ", "\r", '\\"', "\\303", "Binary files ", "rename to b\n"],
  },
  {
    name: "hidden-diff",
    read: (text) => [hidingLines(null, text, hidingMacros(text)), [...hidingMacros(text)]],
    texts: fromTokens([
      "*",
      " ",
      "-diff",
      "binary",
      "[attr]",
      "a",
      "\n",
      "\r\n",
      "!",
      "=",
      "filter",
      "#",
      '"',
      "\t",
    ]),
    pieces: ["* -diff\n", "[attr]a -diff\n", "[attr]", " ", "\n", "\r", "a ", '"', "-diff "],
  },
  {
    name: "secret-scan",
    read: (text) => [secrets.find(text), secrets.redact(text)],
    texts: fromTokens([
      ...["hunter2", "ghp_", "sk-", "AKIA", "-----BEGIN ", "PRIVATE KEY-----", "eyJ", ".", "%61", "\\x61"],
      ...["aGVsbG8", "0123456789abcdefghij", "\n", " ", "=", "+", "/", '"', "\\u0061", "&amp;"],
    ]),
    pieces: ["hunter2", "ghp_", "-----BEGIN ", "sk-", "eyJ", "a", "%61", "\\x61", "-", "a.", "\n", "&#97;"],
  },
];
