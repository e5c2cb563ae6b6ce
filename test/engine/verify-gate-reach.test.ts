import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { gateChecks } from "../../src/core/verify/criteria.ts";
import { type Change, createVerifyWorld, outline, type VerifyWorld } from "../support/verify-world.ts";

const CHECK = 'node -e \'require("assert").equal(require("./lib.js").add(1, 2), 3)\'\n';
const TEST =
  "import unittest, calc\nclass T(unittest.TestCase):\n  def test_add(self): self.assertEqual(calc.add(1, 2), 3)\n";
const PROJECT: Change = {
  "package.json": '{"scripts":{"test":"node scripts/check.js"}}',
  "scripts/check.js": 'require("./helpers.js").same(require("../lib.js").add(1, 2), 3);\n',
  "scripts/helpers.js": 'exports.same = require("node:assert").equal;\n',
  "scripts/run.sh": CHECK,
  "lib.js": "exports.add = (a, b) => a + b;\n",
  "calc.py": "def add(a, b): return a + b\n",
  "test_calc.py": TEST,
  check: { link: "scripts" },
};
const BROKEN: Change = { "lib.js": "exports.add = () => 0;\n", "calc.py": "def add(a, b): return 0\n" };

let world: VerifyWorld;
let base: string;
beforeAll(async () => {
  world = await createVerifyWorld();
  base = world.commit(PROJECT);
});
afterAll(() => world.close());

async function judged(
  change: Change,
  stage: Parameters<VerifyWorld["verify"]>[1],
  gate: readonly string[] = [],
  from = base,
) {
  const before = world.spawned.length;
  const verdict = await world.verify(world.commit(change, from), stage, {
    base: from,
    gate: gateChecks(gate),
  });
  return { outcome: verdict.outcome, lines: outline(verdict), commands: world.spawned.length - before };
}

const DISCOVER = "python3 -m unittest discover -q";
const WAYS: readonly (readonly [what: string, gate: string, change: Change])[] = [
  ["a helper of a script", "npm test", { "scripts/helpers.js": "exports.same = () => {};\n" }],
  ["what a link of the base leads to", "sh check/run.sh", { "scripts/run.sh": "true\n" }],
  ["a module that shadows Python's own", DISCOVER, { "difflib.py": "import os\nos._exit(0)\n" }],
  [
    "a new test that bends the others",
    DISCOVER,
    { "test_aaa.py": "import unittest\nunittest.TestCase.assertEqual = lambda *a: None\n" },
  ],
  [
    "a new test that hides behind a change of settings",
    DISCOVER,
    { "tox.ini": "[tox]\n", "test_aaa.py": "from os import _exit as leave\nleave(0)\n" },
  ],
];

describe("a broken library does not pass as proved", () => {
  it.each(WAYS)("because of %s", async (_what, gate, change) => {
    expect((await judged(BROKEN, {}, [gate])).outcome).toBe("failed");
    expect((await judged({ ...BROKEN, ...change }, {}, [gate])).outcome).toBe("ask");
  });

  it("where a helper is what the gate proves after all", async () => {
    const from = world.commit({
      ...PROJECT,
      "tools/run.js": 'require("./helper.js").must(3);\n',
      "tools/helper.js": 'exports.must = require("node:assert").ok;\n',
    });
    const change = { "tools/run.js": "\n", "tools/helper.js": "exports.must = () => process.exit(1);\n" };
    expect((await judged(change, {}, ["node tools/run.js"], from)).outcome).toBe("ask");
  });
});

describe("the gate is not run again", () => {
  it("for sources with new tests beside them", async () => {
    const change = { "calc.py": "def add(a, b): return b + a\n", "test_more.py": TEST, "README.md": "new\n" };
    expect(await judged(change, {}, [DISCOVER, "npm test"])).toMatchObject({
      outcome: "passed",
      commands: 2,
    });
  });

  it("for commands of the stage that only look at its work", async () => {
    const acceptance = gateChecks(["grep -q b calc.py", "test -f scripts/run.sh"]);
    expect(await judged({ "scripts/run.sh": "true\n" }, { acceptance })).toMatchObject({ commands: 2 });
    const brought = gateChecks(["sh scripts/new.sh"]);
    expect(await judged({ "scripts/new.sh": "true\n" }, { acceptance: brought })).toMatchObject({
      commands: 1,
    });
    const started = gateChecks(["node lib.js"]);
    expect(await judged({ "lib.js": "// new\n" }, { acceptance: started })).toMatchObject({ commands: 1 });
  });
});

describe("a command that the stage has to pass", () => {
  const acceptance = gateChecks(["sh scripts/run.sh"]);
  const emptied = { ...BROKEN, "scripts/run.sh": "true\n" };

  it("counts like the gate", async () => {
    expect((await judged(emptied, { acceptance })).lines).toMatchInlineSnapshot(`
      [
        "ask checks",
        "  passed acceptance",
        "    passed sh scripts/run.sh",
        "  ask gate as the base defines it: this stage changes \`scripts/run.sh\`",
        "    ask sh scripts/run.sh: exited with 1 (expected 0) with the base's \`scripts/run.sh\`, which this stage changes; a person has to decide",
      ]
    `);
    const manifest = { ...BROKEN, "package.json": '{"scripts":{"test":"true"}}' };
    expect((await judged(manifest, { truths: gateChecks(["npm test"]) })).outcome).toBe("ask");
  });

  it("is run once where it is one of the gate's, too", async () => {
    const npm = { acceptance: gateChecks(["npm test"]) };
    // On the commit for both, and once with the base's.
    const change = { "package.json": '{"scripts":{"test":"true"}}' };
    expect(await judged(change, npm, ["npm test"])).toMatchObject({ outcome: "passed", commands: 3 });
  });

  it("is not excused by a base that lacks what the stage is to bring", async () => {
    const from = world.commit({ ...PROJECT, ...BROKEN });
    expect((await judged({ "scripts/run.sh": "true\n" }, { acceptance }, [], from)).outcome).toBe("ask");
    const better = { "lib.js": PROJECT["lib.js"] ?? null, "scripts/run.sh": `${CHECK}true\n` };
    expect((await judged(better, { acceptance }, [], from)).outcome).toBe("passed");
  });

  it("only warns when the approved plan names its file", async () => {
    const files = ["lib.js", "calc.py", "scripts/**"];
    expect((await judged(emptied, { acceptance, files })).outcome).toBe("warned");
  });

  it("runs in the stage's folder", async () => {
    const own = { acceptance: gateChecks(["cd .. && sh scripts/run.sh"]), workingDir: "scripts" };
    expect((await judged(emptied, own)).outcome).toBe("ask");
  });
});
