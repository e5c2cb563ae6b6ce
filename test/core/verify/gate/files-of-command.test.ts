import { describe, expect, it } from "vitest";
import { commandsIn } from "../../../../src/core/verify/gate/commands-in.ts";
import { filesOfCommand } from "../../../../src/core/verify/gate/files-of-command.ts";

const named = (text: string, folder?: string): string[] => [
  ...new Set(filesOfCommand(text, folder).map(({ kind, path }) => `${kind} ${path}`)),
];

describe("files that a command gets its meaning from", () => {
  it.each([
    ["sh scripts/check.sh --fast", ["script scripts/check.sh"]],
    ["./scripts/check.sh", ["script scripts/check.sh"]],
    ["CI=1 bash -eu 'ci/run it.sh'", ["script ci/run it.sh"]],
    ["node --import ./hook.mjs test.js", ["script hook.mjs", "script test.js"]],
    ["npx tsx scripts/a.ts", ["script scripts/a.ts"]],
    ["timeout 60 python3 -u tools/check.py", ["script tools/check.py"]],
    ["python3 -m checks.all", ["script checks/all.py", "script checks/all/__main__.py"]],
    ["make -f ci/rules.make check", ["script ci/rules.make"]],
    ["vitest run --config=ci/vitest.ts", ["script ci/vitest.ts"]],
    ["mocha checks", ["data checks", "folder checks"]],
    ["node --test checks/a.js", ["script checks/a.js", "data checks/a.js", "folder checks/a.js"]],
    ["./prog < cases.txt | diff - golden.txt", ["data cases.txt", "script prog", "data golden.txt"]],
    ['sh "$PWD/ci/a.sh" && . $WORKTREE/ci/b.sh', ["script ci/a.sh", "script ci/b.sh"]],
    ["sh -c 'sh inner.sh'", ["script inner.sh"]],
    ["cd sub && sh run.sh", ["script run.sh", "script sub/run.sh"]],
    ["npm test", []],
    ["test -f out.txt && grep -q x README.md", []],
    ["sh ../outside.sh", []],
  ])("%s", (text, expected) => {
    for (const one of expected) expect(named(text)).toContain(one);
    if (expected.length === 0) expect(named(text)).toEqual([]);
  });

  it("are looked for in the folder of the script that names them, too", () => {
    expect(named('. "$(dirname "$0")/each.sh"', "ci")).toEqual(["script ci/each.sh", "script each.sh"]);
  });

  it("are found in the commands that manifests hold", () => {
    const json = '{"scripts":{"test":"node run.js","other":["sh a.sh"],"odd":3}}';
    expect(commandsIn("package.json", json)).toEqual(["node run.js", "sh a.sh"]);
    expect(commandsIn("package.json", "{")).toEqual([]);
    expect(commandsIn("Makefile", "check: a\n\t@node run.js \\\n\t  --all\n\t-sh $$HOME/x\n")).toEqual([
      "node run.js  \t  --all",
      "sh $HOME/x",
    ]);
    expect(commandsIn("Makefile", "include ci/rules.inc\n")).toEqual([". ci/rules.inc"]);
    const config = 'export default { test: { setupFiles: ["./ci/a.ts", "b"], alias: { x: "./src/x.ts" } } };';
    expect(commandsIn("vitest.config.ts", config)).toEqual(["node ./ci/a.ts", "node b"]);
    expect(commandsIn("package.json", '{"jest":{"globalSetup":"<rootDir>/ci/a.js"}}')).toEqual([
      "node ci/a.js",
    ]);
    expect(commandsIn("Taskfile.yml", "tasks:\n  test:\n    cmds:\n      - sh ci/a.sh\n")).toContain(
      "sh ci/a.sh",
    );
  });
});
