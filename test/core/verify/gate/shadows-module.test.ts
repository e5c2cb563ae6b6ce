import { describe, expect, it } from "vitest";
import { importFolders, shadowsModule } from "../../../../src/core/verify/gate/shadows-module.ts";

describe("a module of Python's", () => {
  const folders = importFolders(new Set(["checks/test_a.py", "app/test_b.py", "app/__init__.py"]));

  it.each([
    "difflib.py",
    "json/__init__.py",
    "src/random.py",
    "checks/difflib.py",
    "_strptime.py",
    "pluggy.py",
  ])("is shadowed by a new %s", (path) => expect(shadowsModule(path, folders)).toBe(true));

  it.each([
    "calc.py",
    "app/types.py",
    "pkg/json/__init__.py",
    "test/__init__.py",
    "json/more.py",
    "queue.js",
  ])("is not shadowed by a new %s", (path) => expect(shadowsModule(path, folders)).toBe(false));
});
