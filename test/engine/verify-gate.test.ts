import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { gateChecks } from "../../src/core/verify/criteria.ts";
import { type Change, createVerifyWorld, outline, type VerifyWorld } from "../support/verify-world.ts";

const VITEST = join(resolve(import.meta.dirname, "../.."), "node_modules/.bin/vitest");

const manifest = (scripts: Record<string, string>, more: object = {}): string =>
  JSON.stringify({ name: "adder", scripts, ...more });
const WHOLE = "exports.add = (a, b) => a + b;\n";
const BROKEN: Change = {
  "lib.js": "exports.add = () => 0;\n",
  "calc.py": "def add(a, b): return 0\n",
};
const TEST = 'require("node:assert").equal(require("../lib.js").add(1, 2), 3);\n';
const PROJECT: Change = {
  "package.json": manifest({ test: "node tools/run.js" }),
  "tools/run.js": 'require("../test/add.test.js");\n',
  "lib.js": WHOLE,
  "calc.py": "def add(a, b): return a + b\n",
  "test_calc.py":
    "import unittest, calc\nclass T(unittest.TestCase):\n  def test_add(self): self.assertEqual(calc.add(1, 2), 3)\n",
  "test/add.test.js": TEST,
  "src/deep.test.js": TEST,
  "test/zero.test.js": 'require("node:assert").equal(typeof require("../lib.js").add, "function");\n',
  "test/sum.vi.test.mjs":
    'import lib from "../lib.js"; test("adds", () => { expect(lib.add(1, 2)).toBe(3); });\n',
  Makefile: "check:\n\tnode test/add.test.js\n",
  "ci/check.sh": '. "$(dirname "$0")/each.sh"\neach test/add.test.js\n',
  "ci/each.sh": 'each() { node "$1"; }\n',
  "print.js": 'console.log(require("./lib.js").add(1, 2));\n',
  "expected.txt": "3\n",
  "packages/a/package.json": manifest({ test: "node check.js" }),
  "packages/a/check.js": 'require("../../test/add.test.js");\n',
};

const EACH = 'for one in test/*.test.js; do node "$one" || exit 1; done';
const ALL = 'for one in src/*.test.js; do node "$one" || exit 1; done';
const VITEST_RUN = `${VITEST} run --globals --dir test sum.vi`;

let world: VerifyWorld;
let base: string;
beforeAll(async () => {
  world = await createVerifyWorld();
  base = world.commit(PROJECT);
});
afterAll(() => world.close());

const WAYS: readonly (readonly [what: string, gate: string, change: Change])[] = [
  ["a test script that does nothing", "npm test", { "package.json": manifest({ test: "true" }) }],
  [
    "a script that is run before the test",
    "npm test",
    { "package.json": manifest({ pretest: "echo > test/add.test.js", test: "node tools/run.js" }) },
  ],
  ["another shell for scripts", "npm test", { ".npmrc": "script-shell=/bin/true\n" }],
  ["an emptied test", "node test/add.test.js", { "test/add.test.js": "" }],
  ["a deleted test", EACH, { "test/add.test.js": null }],
  ["an emptied test that nothing names", ALL, { "src/deep.test.js": "" }],
  ["another target in the Makefile", "make check", { Makefile: "check:\n\ttrue\n" }],
  ["a script that the gate names", "sh ci/check.sh", { "ci/check.sh": "exit 0\n" }],
  [
    "a configuration that leaves tests out",
    VITEST_RUN,
    { "vitest.config.mjs": 'export default { test: { exclude: ["**"], passWithNoTests: true } };\n' },
  ],
  ["a script that such a script reads", "sh ci/check.sh", { "ci/each.sh": "each() { :; }\n" }],
  ["a script that package.json names", "npm test", { "tools/run.js": "" }],
  ["a Makefile that is found first", "make check", { GNUmakefile: "check:\n\ttrue\n" }],
  [
    "a link in the place of the tests",
    EACH,
    {
      ...{ "test/add.test.js": null, "test/zero.test.js": null, "test/sum.vi.test.mjs": null, test: null },
      "other/zero.test.js": "",
      ...{ test: { link: "other" } },
    },
  ],
  ["what the output is compared with", "node print.js | diff - expected.txt", { "expected.txt": "0\n" }],
  [
    "the manifest of one package",
    "npm test --prefix packages/a",
    { "packages/a/package.json": manifest({ test: "true" }) },
  ],
  ["a script that it names", "npm test --prefix packages/a", { "packages/a/check.js": "" }],
  ["a script that is run in its folder", "cd packages/a && node check.js", { "packages/a/check.js": "" }],
  ["a module that Python finds first", "python3 -m unittest -q test_calc", { "unittest.py": "" }],
];

const holding = new Set<string>();

describe("a broken library does not pass as proved", () => {
  it.each(WAYS)("because of %s", async (_what, command, change) => {
    const gate = gateChecks([command]);
    // The gate holds where it is left alone.
    if (!holding.has(command)) {
      const { outcome } = await world.verify(world.commit(BROKEN, base), {}, { base, gate });
      expect(outcome).toBe("failed");
      holding.add(command);
    }
    const verdict = await world.verify(world.commit({ ...BROKEN, ...change }, base), {}, { base, gate });
    expect(verdict.outcome).toBe("ask");
    expect(verdict.children.map(({ title, outcome }) => `${title}: ${outcome}`)).toEqual(
      expect.arrayContaining(["gate: passed", "gate as the base defines it: ask"]),
    );
  });
});

const EMPTIED: Change = { ...BROKEN, "test/add.test.js": "" };
const NPM = gateChecks(["npm test"]);
const NODE = gateChecks(["node test/add.test.js"]);

/** What came of it, and how many programs were started for it. */
async function judged(
  change: Change,
  stage: Parameters<VerifyWorld["verify"]>[1],
  more: Parameters<VerifyWorld["verify"]>[2] = {},
) {
  const before = world.spawned.length;
  const verdict = await world.verify(world.commit(change, base), stage, { base, gate: NODE, ...more });
  return { lines: outline(verdict), commands: world.spawned.length - before };
}
describe("the gate as the base defines it", () => {
  it("is not run where a commit touches nothing of it, or only adds to it", async () => {
    expect(await judged({ "lib.js": `${WHOLE}// the same\n` }, {})).toMatchObject({
      lines: ["passed checks", "  passed gate", "    passed node test/add.test.js"],
      commands: 1,
    });
    const dependency = manifest({ test: "node tools/run.js" }, { dependencies: { left: "^1.0.0" } });
    expect(await judged({ "package.json": dependency }, {}, { gate: NPM })).toMatchObject({ commands: 1 });
    expect(await judged({ "test/more.test.js": TEST }, {})).toMatchObject({ commands: 1 });
  });

  it("is not run where there is no gate, or where something failed anyway", async () => {
    expect(await judged(EMPTIED, {}, { gate: [] })).toMatchObject({ commands: 0 });
    const failing = gateChecks(["false"]);
    expect(await judged(EMPTIED, { acceptance: failing })).toMatchObject({ commands: 2 });
    // On the commit and on the base.
    expect(await judged({ ...BROKEN, Makefile: "" }, {})).toMatchObject({ commands: 2 });
  });

  it("says who changed what, what fails, and that a person has to decide", async () => {
    expect((await judged({ ...EMPTIED, ".npmrc": "a=b\n" }, {})).lines).toMatchInlineSnapshot(`
      [
        "ask checks",
        "  warned published files",
        "    warned .npmrc: look at it before you merge: it decides where packages come from, or runs while they are installed",
        "  passed gate",
        "    passed node test/add.test.js",
        "  ask gate as the base defines it: this stage changes \`.npmrc\`, \`test/add.test.js\`",
        "    ask node test/add.test.js: exited with 1 (expected 0) with the base's \`.npmrc\`, \`test/add.test.js\`, which this stage changes; a person has to decide",
      ]
    `);
  });

  it("is worth a note when it passes all the same", async () => {
    expect((await judged({ "test/add.test.js": `${TEST}// more\n` }, {})).lines).toMatchInlineSnapshot(`
      [
        "passed checks",
        "  passed gate",
        "    passed node test/add.test.js",
        "  passed gate as the base defines it: this stage changes \`test/add.test.js\`",
        "    passed node test/add.test.js",
      ]
    `);
  });

  it("only warns when the approved plan names all that was changed", async () => {
    expect((await judged(EMPTIED, { files: ["lib.js", "calc.py", "test/**"] })).lines).toMatchInlineSnapshot(`
      [
        "warned checks",
        "  passed files: all changes are within the stage's own files",
        "  passed gate",
        "    passed node test/add.test.js",
        "  warned gate as the base defines it: this stage changes \`test/add.test.js\`",
        "    warned node test/add.test.js: exited with 1 (expected 0) with the base's \`test/add.test.js\`, which this stage changes; only a warning, because the plan names what was changed",
      ]
    `);
    const other = { ...EMPTIED, "package.json": manifest({ test: "true" }) };
    expect((await judged(other, { files: ["lib.js", "calc.py", "test/**"] })).lines[0]).toBe("ask checks");
    expect((await judged(EMPTIED, { files: ["{"] })).lines[0]).toBe("ask checks");
  });

  it("only warns when the operator says so", async () => {
    expect((await judged(EMPTIED, {}, { gateChanges: "warn" })).lines).toMatchInlineSnapshot(`
      [
        "warned checks",
        "  passed gate",
        "    passed node test/add.test.js",
        "  warned gate as the base defines it: this stage changes \`test/add.test.js\`",
        "    warned node test/add.test.js: exited with 1 (expected 0) with the base's \`test/add.test.js\`, which this stage changes; only a warning, because LOOM_GATE_CHANGES is \`warn\`",
      ]
    `);
  });

  it("fails a stage where warnings do, and asks where a failing gate would only warn", async () => {
    expect((await judged(EMPTIED, {}, { strictness: "strict" })).lines[0]).toBe("failed checks");
    expect((await judged(EMPTIED, {}, { strictness: "lenient" })).lines[0]).toBe("ask checks");
  });

  it("excuses what was red before: the first stage of a project brings its gate along", async () => {
    const scaffold = {
      "package.json": manifest({ test: "true" }),
      "vitest.config.mjs": "export default {};\n",
    };
    const commit = world.commit(scaffold);
    const verdict = await world.verify(commit, {}, { gate: NPM });
    expect(
      outline(verdict).map((line) => line.replace(/exited with \d+/, "exited with N")),
    ).toMatchInlineSnapshot(`
      [
        "warned checks",
        "  passed gate",
        "    passed npm test",
        "  warned gate as the base defines it: this stage changes \`package.json\`, \`vitest.config.mjs\`",
        "    warned npm test: exited with N (expected 0) with the base's \`package.json\`, \`vitest.config.mjs\`, which this stage changes; fails on the base as well",
      ]
    `);
  });

  it("is run command by command, those that were red before left out", async () => {
    const gate = gateChecks(["test -f never.txt", "node test/add.test.js"]);
    expect((await judged(EMPTIED, {}, { gate })).lines).toMatchInlineSnapshot(`
      [
        "ask checks",
        "  warned gate",
        "    warned test -f never.txt: exited with 1 (expected 0); fails on the base as well",
        "    passed node test/add.test.js",
        "  ask gate as the base defines it: this stage changes \`test/add.test.js\`",
        "    ask node test/add.test.js: exited with 1 (expected 0) with the base's \`test/add.test.js\`, which this stage changes; a person has to decide",
      ]
    `);
  });

  it("has the set-up of the stage, and asks when that fails in its place", async () => {
    const more = { ...EMPTIED, "package.json": manifest({ test: "true", setup: "true" }) };
    const setup = ["npm run --silent setup > /dev/null 2>&1 && touch ready"];
    const gate = gateChecks(["test -f ready && node test/add.test.js"]);
    expect((await judged(more, { setup }, { gate })).lines).toMatchInlineSnapshot(`
      [
        "ask checks",
        "  passed setup",
        "    passed npm run --silent setup > /dev/null 2>&1 && touch ready",
        "  passed gate",
        "    passed test -f ready && node test/add.test.js",
        "  ask gate as the base defines it: this stage changes \`package.json\`, \`test/add.test.js\`",
        "    ask npm run --silent setup > /dev/null 2>&1 && touch ready: exited with 1 (expected 0) with the base's \`package.json\`, \`test/add.test.js\`, which this stage changes; a person has to decide",
      ]
    `);
    const touched = { ...EMPTIED, "package.json": manifest({ test: "true" }) };
    expect((await judged(touched, { setup: ["touch ready"] }, { gate })).lines[0]).toBe("ask checks");
  });
});
