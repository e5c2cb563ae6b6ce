import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readPlainCommands } from "../../../../src/adapters/harness/codex/plain-commands.ts";
import { onlyReads, readingJudge } from "../../../../src/adapters/harness/codex/reading-judge.ts";
import { propertyRuns } from "../../../support/property-runs.ts";
import { quickly } from "../../../support/quickly.ts";

describe("readPlainCommands", () => {
  it("reads words, quotes and what joins commands", () => {
    expect(
      readPlainCommands(`cd src && rg -n "foo\\(\\"a\\" \\$x" 'it $is' | head -5; ls a/*.ts\ncat b`),
    ).toEqual([
      ["cd", "src"],
      ["rg", "-n", 'foo\\("a" $x', "it $is"],
      ["head", "-5"],
      ["ls", "a/*.ts"],
      ["cat", "b"],
    ]);
    expect(readPlainCommands("ls a 2>/dev/null && ls b > /dev/null 2>&1 || ls c")).toEqual([
      ["ls", "a"],
      ["ls", "b"],
      ["ls", "c"],
    ]);
    expect(readPlainCommands(`cat a'b'"c"d`)).toEqual([["cat", "abcd"]]);
  });

  it.each([
    "cat $x",
    'cat "$x"',
    'cat "`x`"',
    "cat `x`",
    "cat $(x)",
    "cat <(x)",
    "cat < x",
    "cat > x",
    "cat >/dev/null2",
    "cat > /dev/nullx",
    "cat &> x",
    "cat x & ",
    "cat a\\ b",
    "cat {a,--b}",
    "cat *",
    "cat ?x",
    "cat ''*",
    "cat -*",
    `cat "--"*`,
    "cat [-]-x",
    "cat ~",
    "(cat x)",
    "{ cat x; }",
    "! cat x",
    "cat 'x",
    'cat "x',
    "cat # x",
    "cat x\r",
    'cat "a\\\nb"',
  ])("does not read %j", (text) => {
    expect(readPlainCommands(text)).toBeNull();
  });

  it("reads what a shell reads", () => {
    const piece = fc.constantFrom(
      ..."a b -n \\ \" ' ; | && || $ ` * ? [ ] { } ( ) < > & # ! ~ = \n \t".split(" "),
      " ",
      "2>&1",
      ">/dev/null",
      "\\$",
      "é",
    );
    const script = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(script, (text) => {
        const commands = readPlainCommands(`show ${text}`);
        // Of several commands a shell may leave out some, and a pipe mixes what they print.
        if (commands === null || commands.length !== 1 || /[;|&\n]|\/dev\/null/.test(text)) return;
        const show = `show() { printf '<%s>' "$@"; }\nshopt -s nullglob; set -f\nshow ${text}`;
        const printed = execFileSync("bash", ["-c", show], { encoding: "utf8" });
        expect(printed).toBe(`<${(commands[0] ?? []).slice(1).join("><")}>`);
      }),
      { numRuns: propertyRuns(3) },
    );
  });

  it("survives any text, in time that grows with its length", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => void readPlainCommands(text)));
    for (const part of ["a", "'", '"', '"\\', "a;", " ", "a'b'", "2>", "\\", "a*", "&"]) {
      quickly(2_000, () => readPlainCommands(part.repeat(50_000)));
    }
  });
});

describe("the judge of an agent that runs nothing", () => {
  it.each([
    "cat README.md",
    "ls -la src | head -20",
    "pwd && ls",
    "sed -n '1,200p' src/a.ts",
    "sed -n '1,20p;40,$p' a b",
    `rg -n "export function" src --glob '!dist'`,
    "rg --files | sort | uniq -c | sort -rn",
    "find . -name '*.ts' -not -path './node_modules/*' 2>/dev/null | wc -l",
    "nl -ba src/a.ts | sed -n '5,9p'",
    "grep -rn foo src || true",
    "tree -L 2",
  ])("lets %j through", (command) => {
    expect(readingJudge(null, "edit")({ tool: "Bash", command })).toEqual({ kind: "allow" });
  });

  it.each([
    "",
    " ; ",
    "npm test",
    "./cat x",
    "/tmp/cat x",
    "PATH=. cat x",
    "cat x > y",
    "cat x | tee y",
    "cat x && touch y",
    "cat x\ntouch y",
    "echo $(touch y)",
    "sed -i s/a/b/ x",
    "sed s/a/b/ x",
    "sed -n 'w y' x",
    "sed -n '1e touch y' x",
    "sed -n 1p x -i",
    "sed -n",
    "find . -delete",
    "find . -exec touch y ';'",
    "find . -fprintf y x",
    "find . -okdir touch",
    "rg --pre sh x",
    "rg --pre=sh x",
    "rg -nz x",
    "rg x *",
    "rg --hostname-bin=x y",
    "sort -o y x",
    "sort -no y x",
    "sort --outp=y x",
    "sort --compress-program=sh x",
    "sort --com=sh x",
    "uniq x y",
    "tree -o y",
    "git status",
    "git -c core.pager=sh log",
    "awk 1 x",
    "xargs cat",
    "printf -v 'a[$(touch y)]' x",
    "bash -c ls",
    "eval ls",
    "cat x &",
  ])("refuses %j", (command) => {
    expect(onlyReads(command)).toBe(false);
  });

  it("tells the agent what it can do instead", () => {
    expect(readingJudge(null, "edit")({ tool: "Bash", command: "make" })).toMatchInlineSnapshot(`
      {
        "kind": "deny",
        "reason": "here you read and change files and run nothing. Read with cat, head, tail, sed -n 1,200p, ls, find, grep or rg, without variables, substitutions or output to files, and change files with apply_patch.",
      }
    `);
  });

  it("says nothing of changes to one that only reads", () => {
    expect(readingJudge(null, "read")({ tool: "Bash", command: "npm test" })).toMatchInlineSnapshot(`
      {
        "kind": "deny",
        "reason": "here you read files and run nothing. Read with cat, head, tail, sed -n 1,200p, ls, find, grep or rg, without variables, substitutions or output to files.",
      }
    `);
  });

  it("refuses what is too long to be looked at", () => {
    expect(onlyReads(`cat ${"a ".repeat(20_000)}`)).toBe(false);
  });
});
