import { describe, expect, it } from "vitest";
import { isAskedFor, isCollectedTest, reachesBeyond } from "../../../../src/core/verify/gate/new-tests.ts";
import { quickly } from "../../../support/quickly.ts";

describe("a new test that reaches beyond itself", () => {
  it.each([
    "import unittest\nunittest.TestCase.assertEqual = lambda *a: None\n",
    "from unittest import TestCase as T\nT.assertEqual = lambda *a: None\n",
    "import os\nos._exit(0)\n",
    "import sys\nsys.modules['calc'] = 1\n",
    "setattr(T, 'assertEqual', f)\n",
    "def pytest_collection_modifyitems(items): items.clear()\n",
    "@pytest.fixture(autouse=True)\ndef f(): pass\n",
    'const assert = require("assert");\nassert.equal = () => {};\n',
    '  require("node:assert").equal = () => {};\nprocess.exit(0);\n',
    "expect.prototype.toBe = () => {};\n",
    'require.cache[require.resolve("../lib.js")] = {};\n',
    "  global.expect = () => {};\n",
    "class Minitest::Test\n  def assert_equal(*) = true\nend\n",
    "x = 1\r\n\r\n \tmodule  Kernel\r\n",
    "at_exit { exit!(0) }\n",
  ])("shows: %j", (text) => expect(reachesBeyond(text)).toBe(true));

  it.each([
    'import { expect, it } from "vitest";\nit("adds", () => {\n  user.name = "x";\n  expect(add(1)).toBe(2);\n});\n',
    "class T(unittest.TestCase):\n  def setUp(self):\n    self.a = 1\n  def test_a(self):\n    self.assertEqual(add(a=1), 3)\n",
    "def test_a(monkeypatch):\n    monkeypatch.setattr(calc, 'x', 1)\n    assert calc.x == 1\n",
    'test("a", () => { const it = { x: 1 }; expect(it.x === 1).toBe(true); vi.fn(); });\n',
  ])("is told from ordinary ones: %j", (text) => expect(reachesBeyond(text)).toBe(false));

  it.each(["\n", "\r", "\u2028", " \n", "class ", "os.a", ".prototype."])(
    "is looked for in a file of nothing but %j without a standstill",
    (piece) => {
      const text = piece.repeat(300_000 / piece.length);
      expect(quickly(500, () => reachesBeyond(text))).toBe(false);
    },
  );

  it("is taken for granted in a file that is too large to be read", () => {
    expect(reachesBeyond("x\n".repeat(500_000))).toBe(false);
    expect(reachesBeyond("x\n".repeat(500_001))).toBe(true);
  });
});

it.each([
  "test_aaa.py",
  "tests/test_a.py",
  "src/a.test.ts",
  "a.spec.mjs",
  "test/new.js",
  "src/__tests__/a.tsx",
  "a_spec.rb",
])("%s is loaded together with others", (path) => expect(isCollectedTest(path)).toBe(true));

it.each(["a_test.go", "src/tests.rs", "src/spec/parser.ts", "src/latest.py", "AdderTest.java"])(
  "%s is not",
  (path) => expect(isCollectedTest(path)).toBe(false),
);

it("is what a command is about when that names it", () => {
  expect(isAskedFor("test/new.test.js", ["node --test test/new.test.js"])).toBe(true);
  expect(isAskedFor("test/new.test.js", ["npx vitest run new"])).toBe(true);
  expect(isAskedFor("test/test.js", ["npm test"])).toBe(false);
  expect(isAskedFor("test_aaa.py", ["python3 -m unittest discover -q"])).toBe(false);
});
