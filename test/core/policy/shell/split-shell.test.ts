// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is shell text.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createJudge } from "../../../../src/core/policy/judge-command.ts";
import { UNKNOWN } from "../../../../src/core/policy/shell/shell-script.ts";
import { splitAnyShell, splitShell } from "../../../../src/core/policy/shell/split-shell.ts";
import { propertyRuns } from "../../../support/property-runs.ts";
import { shippedPolicy } from "../shipped-policy.ts";

/** Each command with its words in brackets, `?` for what only the shell knows. */
function commandsOf(text: string): string[] {
  return splitShell(text).commands.map(({ words, redirections }) => {
    const shown = words.map((word) => `[${word.text.replaceAll(UNKNOWN, "?")}]`).join("");
    return shown + redirections.map((one) => ` ${one.kind}`).join("");
  });
}

describe("shell text is split into its commands", () => {
  it.each<[string, string[]]>([
    ["a 'b c' \"d e\" f\\ g", ["[a][b c][d e][f g]"]],
    ["a 'it'\\''s'", ["[a][it's]"]],
    ['a "x\\"y\\$z\\q"', ['[a][x"y$z\\q]']],
    ["a ''", ["[a][]"]],
    ["a $x ${y:-'}'} $1 $@ $$", ["[}]", "[a][?][?][?][?][?]"]],
    ["a $'b\\n\\'\\u0041\\101\\cA' $\"c\"", ["[a][b\n'AA\u0001][c]"]],
    ["a $ b $% c", ["[a][$][b][$%][c]"]],
    ["a;b&c|d||e&&f\ng", ["[a]", "[b]", "[c]", "[d]", "[e]", "[f]", "[g]"]],
    ["a # b\nc#d", ["[a]", "[c#d]"]],
    ["X=1 Y='2 3' a Z=4", ["[a][Z=4]"]],
    ["a 2>&1 >b 3<c", ["[a] output output input"]],
    ["a 2 >b", ["[a][2] output"]],
    ["cat <<A <<'B' && c\n$(x)\nA\n$(y)\nB\nd", ["[cat] here-document here-document", "[c]", "[x]", "[d]"]],
    ["cat <<A\nno end\n$(x)", ["[cat] here-document", "[x]"]],
    ["case x in a) b;; (c | d) e;& *) f;;& esac; g", ["[b]", "[e]", "[f]", "[g]"]],
    ["case x in esac; g", ["[g]"]],
    ["if a; then b; elif c; then d; else e; fi", ["[a]", "[b]", "[c]", "[d]", "[e]"]],
    ["for x in a b; do c; done; select y in d; do e; done", ["[c]", "[e]"]],
    ["until a; do b; done & wait", ["[a]", "[b]", "[wait]"]],
    ["f () { a; }; function g() { b; }", ["[a]", "[b]"]],
    ["a <(b) >(c)", ["[b]", "[c]", "[a][/dev/fd/?][/dev/fd/?]"]],
    ["echo if then fi", ["[echo][if][then][fi]"]],
    ["'if' a", ["[if][a]"]],
    ["sudo -u me env A=1 b -c", ["[sudo][-u][me][env][A=1][b][-c]", "[env][A=1][b][-c]", "[b][-c]"]],
    ["bash script.sh -c d", ["[bash][script.sh][-c][d]"]],
    ["sh -c 'a; b' name", ["[sh][-c][a; b][name]", "[a]", "[b]"]],
    ['sh -c "a $x $(b)"', ["[b]", "[sh][-c][a ? ?]", "[a][?][?]"]],
    ["bash <<X\na\nX", ["[bash] here-document", "[a]"]],
  ])("%j", (text, expected) => {
    expect(commandsOf(text)).toEqual(expected);
    expect(splitShell(text).unreadable).toBeNull();
  });

  it("keeps the text of each command for people", () => {
    const { commands } = splitShell("X=1  a  'b c' > d && (e; f g )");
    expect(commands.map(({ source }) => source)).toEqual(["a  'b c' > d", "e", "f g"]);
  });
});

const SHELL_PARTS = [
  ..."'\"`$(){}[]<>|&;#\\\n\t !*?=~^0",
  "$(",
  "${",
  "$((",
  "((",
  "))",
  "[[",
  "]]",
  "<<",
  "<<-E\n",
  "<<<",
  "<(",
  "&>",
  "case ",
  " in ",
  "esac",
  ";;",
  "if ",
  "for ",
  "do ",
  "done",
  "function ",
  "f()",
  "sh -c ",
  "eval ",
  "find -exec ",
  "xargs ",
  "sudo ",
  "env A=1 ",
  "rm -rf ",
  "git push",
  "a",
  "x=(",
  "$'",
  "\\\n",
  "\0",
  "\u00a0",
  "😀",
];

/** Milliseconds that this process has worked since; a busy machine does not count. */
function stopwatch(): () => number {
  const start = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1_000;
  };
}

describe("hostile text", () => {
  const judge = createJudge(shippedPolicy(), []);

  it("never makes it throw", () => {
    const soup = fc.array(fc.constantFrom(...SHELL_PARTS), { maxLength: 60 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(fc.oneof(soup, fc.string(), fc.string({ unit: "binary" })), (command) => {
        expect(["allow", "deny", "ask"]).toContain(judge({ tool: "x", command }).kind);
      }),
      { numRuns: propertyRuns(30) },
    );
  });

  it.each<[string, string]>([
    ["plain words", "a "],
    ["commands", "a;"],
    ["lines", "a\n"],
    ["subshells that never close", "("],
    ["substitutions that never close", "$("],
    ["quoted substitutions that never close", '"$('],
    ["arithmetic that never closes", "$(("],
    ["arithmetic one by one", "$((1)) "],
    ["arithmetic that turns out not to be", "((a) );"],
    ["braces that never close", "${"],
    ["braces in braces", "${x:-a "],
    ["braces one by one", "${x:-a b} "],
    ["backticks", "`"],
    ["escaped backticks", "\\`"],
    ["double quotes", '"'],
    ["single quotes", "'"],
    ["escapes", "\\"],
    ["line continuations", "\\\n"],
    ["here-documents on one line", "<<a "],
    ["here-documents on many lines", "<<a\n"],
    ["here-documents that end", "<<a\na\n"],
    ["redirections", ">a "],
    ["descriptors", "2>&1 "],
    ["comments", "#\n"],
    ["cases", "case a in b) "],
    ["cases without an in", "case "],
    ["patterns of a case", "case a in b|"],
    ["tests", "[[ a "],
    ["functions", "f(){ "],
    ["assignments", "a=1 "],
    ["open indexes", "a[;"],
    ["arrays", "a=("],
    ["sudo", "sudo "],
    ["eval", "eval "],
    ["sh -c", "sh -c "],
    ["find -exec", "find -exec "],
    ["find -exec to its end", "find -exec rm {} + ;"],
    ["many -exec", "find . …-exec a {} + "],
    ["xargs", "xargs "],
    ["unknown programs", "$a -r -f;"],
    ["unknown words", "$a "],
    ["brace lists", "{a,b}"],
    ["brace lists one by one", "{a,b} "],
    ["open brace lists", "{a,"],
    ["ANSI quotes", "$'\\x41' "],
    ["open ANSI quotes", "$'\\"],
    ["git", "git "],
    ["git options", "git …-C a "],
    ["words of git", "git …a "],
    ["flags of git", "git clean …-x "],
    ["long flags of rm", "rm …--recursive "],
    ["stars", "*"],
    ["extended patterns", "!("],
    ["loops", "for x in a; do "],
    ["separators", "${IFS}"],
  ])("takes linear time: %s", (_, written) => {
    const [piece = "", before = ""] = written.split("…").toReversed();
    const text = before + piece.repeat(1_000_000 / piece.length);
    const busy = stopwatch();
    judge({ tool: "x", command: text });
    judge({ tool: "x", command: text.slice(0, 20_000) });
    expect(busy()).toBeLessThan(1_000);
    // Beyond the limit on purpose: at this length anything worse than linear takes far longer.
    splitAnyShell(text.slice(0, 100_000));
    expect(busy()).toBeLessThan(3_000);
  });
});

describe("a command is judged the same", () => {
  const judge = createJudge(shippedPolicy(), []);
  const kindOf = (command: string): string => judge({ tool: "x", command }).kind;
  const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
  const WRAPS: readonly ((inner: string) => string)[] = [
    (inner) => `(${inner}\n)`,
    (inner) => `{ ${inner}\n}`,
    (inner) => `sh -c ${quoted(inner)}`,
    (inner) => `bash -lc ${quoted(inner)}`,
    (inner) => `eval ${quoted(inner)}`,
    (inner) => `echo $(${inner}\n)`,
    (inner) => `echo "$(${inner}\n)"`,
    (inner) => `if true; then ${inner}\nfi`,
    (inner) => `while false; do ${inner}\ndone`,
    (inner) => `case x in x) ${inner}\n;; esac`,
    (inner) => `true && { ${inner}\n}`,
    (inner) => `env A=1 timeout 5 sh -c ${quoted(inner)}`,
    (inner) => `sudo -u me bash -c ${quoted(inner)}`,
    (inner) => `f() {\n${inner}\n}`,
    (inner) => `cat <(${inner}\n)`,
    (inner) => `echo "\${x:-$(${inner}\n)}"`,
    (inner) => `find . -exec sh -c ${quoted(inner)} ';'`,
    (inner) => `: 'a' # b\n${inner}\n# c`,
  ];
  const COMMANDS = [
    "rm -rf build",
    "git -C a reset --hard",
    "git push",
    "echo a > b",
    "npm test 2>&1 | tee log",
    "cat <<EOF\nit's\nEOF",
    "npm test 2>&1 | head",
    "echo 'rm -rf x' \"a > b\" # > c",
    "echo $((1 << 2)) $(ls) && [[ a > b ]]",
    "case $x in a) ls;; esac",
  ];

  it("inside any nesting of subshells, substitutions, loops and shells", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...COMMANDS),
        fc.array(fc.constantFrom(...WRAPS), { minLength: 1, maxLength: 4 }),
        (command, wraps) => {
          const text = wraps.reduce((inner, wrap) => wrap(inner), command);
          expect(kindOf(text)).toBe(kindOf(command));
        },
      ),
      { numRuns: propertyRuns(15) },
    );
  });
});
