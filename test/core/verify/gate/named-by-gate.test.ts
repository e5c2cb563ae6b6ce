import { describe, expect, it } from "vitest";
import { createPatterns } from "../../../../src/adapters/text/patterns.ts";
import { gateRuleFor, isHelperOfGate } from "../../../../src/core/verify/gate/gate-definition.ts";
import { type GateCommand, namedByGate } from "../../../../src/core/verify/gate/named-by-gate.ts";
import { throughLinks } from "../../../../src/core/verify/gate/resolve-path.ts";
import { isPlainLook } from "../../../../src/core/verify/gate/words-of-command.ts";

type Tree = Readonly<Record<string, string>>;

/** `gate`: set back. `helper`: set back in a run of its own. `work`: left as the commit has it. */
async function role(
  path: string,
  command: string,
  tree: Tree,
  more: Partial<GateCommand> & { links?: Tree } = {},
): Promise<"gate" | "helper" | "work"> {
  const { links = {}, ...rest } = more;
  const base = {
    files: new Set(Object.keys(tree)),
    links: new Map(Object.entries(links)),
    read: async (one: string) => tree[one] ?? null,
    globOf: createPatterns().glob,
  };
  const named = await namedByGate(base, [{ command, folder: ".", isOwn: false, ...rest }], [path]);
  const isInBase = base.files.has(path) || base.links.has(path);
  if (gateRuleFor(path, isInBase, named) !== null) return "gate";
  return isHelperOfGate(path, isInBase, named) ? "helper" : "work";
}

const CHECK: Tree = {
  "package.json": '{"scripts":{"test":"node scripts/check.js"}}',
  "scripts/check.js": 'require("./helpers.js").same(require("../lib.js").add(1, 2), 3);',
  "scripts/helpers.js": 'exports.same = require("./deep").equal;',
  "scripts/deep/index.js": 'exports.equal = require("node:assert").equal;',
  "scripts/other.js": "",
  "lib.js": "",
};

describe("what a script of the gate loads", () => {
  it.each([
    ["scripts/check.js", "gate"],
    ["scripts/helpers.js", "helper"],
    ["scripts/deep/index.js", "helper"],
    ["scripts/other.js", "work"],
    ["lib.js", "work"],
  ])("%s: %s", async (path, expected) => {
    expect(await role(path, "npm test", CHECK)).toBe(expected);
  });

  it.each([
    ["qa/run.py", "import common, os\n", "qa/common.py", "helper"],
    ["qa/run.py", "from . import common as c\n", "qa/common.py", "helper"],
    ["qa/run.py", "from .sub.common import x\n", "qa/sub/common.py", "helper"],
    ["qa/run.mjs", 'import { x } from "./common.js";', "qa/common.ts", "helper"],
    ["qa/run.js", 'fs.readFileSync("data/want.json")', "data/want.json", "helper"],
    ["qa/run.rb", "require_relative 'common'", "qa/common.rb", "helper"],
    // The code that a gate proves lies beside the script often enough.
    ["print.js", 'require("./lib.js")', "lib.js", "work"],
    ["src/selftest.js", 'require("./lib.js")', "src/lib.js", "work"],
    ["test/a.test.js", 'require("./../lib.js")', "lib.js", "work"],
    ["calc/test_calc.py", "import calc\n", "calc/calc.py", "work"],
  ])("%s with %j makes %s a %s", async (script, text, path, expected) => {
    const runner = script.endsWith("py") ? "python3" : script.endsWith("rb") ? "ruby" : "node";
    expect(await role(path, `${runner} ${script}`, { [script]: text, [path]: "" })).toBe(expected);
  });

  it("stays a project's own where the script lies at the root of the project", async () => {
    const tree = {
      "pkgs/a/package.json": "{}",
      "pkgs/a/run.js": 'require("./index.js")',
      "pkgs/a/index.js": "",
    };
    expect(await role("pkgs/a/index.js", "node pkgs/a/run.js", tree)).toBe("work");
  });
});

describe("what a command of the gate mentions", () => {
  const tree = {
    ...{ "ci/a.sh": ". ci/b.inc\nsh more/c.sh", "ci/b.inc": "", "more/c.sh": "", "golden.txt": "3" },
    ...{ "src/a.js": "", "README.md": "", "data.json": "", "deep/ci/run.sh": "" },
  };
  it.each([
    ['for t in ci/*.sh; do sh "$t" || exit 1; done', "ci/a.sh", "helper"],
    ['for t in ci/*.sh; do sh "$t" || exit 1; done', "ci/b.inc", "gate"],
    ['for t in ci/*.sh; do sh "$t" || exit 1; done', "more/c.sh", "gate"],
    ['for t in $(ls ci/*.sh); do sh "$t"; done', "ci/a.sh", "helper"],
    ["for t in src/*.js; do node --check $t; done", "src/a.js", "work"],
    ["T=ci/a.sh; sh $T", "ci/a.sh", "helper"],
    ["find ci -name '*.sh' -exec sh {} +", "ci/a.sh", "helper"],
    ["run-parts ci", "ci/a.sh", "helper"],
    ['sh "$DIR/ci/run.sh"', "deep/ci/run.sh", "helper"],
    ['test "$(node -p 1)" = "$(cat golden.txt)"', "golden.txt", "helper"],
    ["node -p 1 | grep -qxf data.json", "data.json", "helper"],
    ["node src/a.js --expect=data.json", "data.json", "helper"],
    ["cat data.json | grep -q x", "data.json", "work"],
    ["grep -q x data.json README.md src/a.js", "data.json", "work"],
    ["prettier --check README.md src", "README.md", "work"],
    ["npm test", "golden.txt", "helper"],
    ["npm test", "src/a.js", "work"],
  ])("%s: %s is %s", async (command, path, expected) => {
    expect(await role(path, command, tree)).toBe(expected);
  });

  it("is no program that a stage of its own is to change", async () => {
    expect(await role("src/a.js", "node src/a.js", tree)).toBe("gate");
    expect(await role("src/a.js", "node src/a.js", tree, { isOwn: true })).toBe("work");
    expect(await role("ci/a.sh", "sh a.sh", tree, { isOwn: true, folder: "ci" })).toBe("gate");
    expect(await role("ci/new.sh", "sh ci/new.sh", tree)).toBe("gate");
    expect(await role("ci/new.sh", "sh ci/new.sh", tree, { isOwn: true })).toBe("work");
  });
});

describe("links of the base", () => {
  const tree = { "scripts/run.sh": "", "impl/a.js": "" };

  it("are followed, and are part of the gate themselves", async () => {
    const links = { check: "scripts", deep: "check", test: "impl" };
    for (const command of ["sh check/run.sh", "sh deep/run.sh"])
      for (const path of ["scripts/run.sh", "check"])
        expect(await role(path, command, tree, { links })).toBe("gate");
    expect(await role("scripts/run.sh", "sh scripts/run.sh", tree, { links })).toBe("gate");
    expect(await role("impl/a.js", "npm test", tree, { links })).toBe("gate");
    expect(await role("test", "npm test", tree, { links })).toBe("gate");
  });

  it("lead nowhere in a circle, or out of the tree", () => {
    expect(
      throughLinks(
        "a/x",
        new Map([
          ["a", "b"],
          ["b", "a"],
        ]),
      ),
    ).toEqual(["a/x", "a", "b/x", "b"]);
    expect(throughLinks("a/x", new Map([["a", "../.."]]))).toEqual(["a/x", "a"]);
    expect(throughLinks("a/x", new Map([["a", "/etc"]]))).toEqual(["a/x", "a"]);
    expect(throughLinks("d/a/x", new Map([["d/a", "../e"]]))).toEqual(["d/a/x", "d/a", "e/x"]);
  });
});

describe("new files", () => {
  const tree = { "test_calc.py": "", "checks/test_more.py": "", "queue.py": "" };
  it.each([
    ["difflib.py", "gate"],
    ["checks/difflib.py", "gate"],
    ["conftest.py", "gate"],
    ["helper-1.0.dist-info/entry_points.txt", "gate"],
    ["__mocks__/lib.js", "gate"],
    ["app/types.py", "work"],
    ["test_new.py", "work"],
    // The base's own.
    ["queue.py", "work"],
  ])("%s: %s", async (path, expected) => {
    expect(await role(path, "python3 -m unittest -q test_calc", tree)).toBe(expected);
  });
});

it.each([
  ["test -f a.txt && grep -q x src/a.js", true],
  ["cat a.txt | wc -l", true],
  ["test -f scripts/run.sh", true],
  ["sh check.sh", false],
  ["npm test | grep -q ok", false],
  ['test "$(cat a)" = "$(cat b)"', false],
  ["$CHECK", false],
])("%s only looks: %s", (command, expected) => {
  expect(isPlainLook(command)).toBe(expected);
});
