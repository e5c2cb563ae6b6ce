import { describe, expect, it } from "vitest";
import { unknownDotNames } from "../../../src/core/merge/dot-names.ts";

describe("unknownDotNames", () => {
  it("are new names at the root that no table knows", () => {
    const changed = [".newtool/rules.md", ".newtool/x", ".newrc", ".old/new", "sub/.newrc", "new"];
    expect(unknownDotNames(changed, [".old/x", "src/a.ts"])).toEqual([".newrc", ".newtool"]);
  });

  it.each([
    ".gitignore",
    ".dockerignore",
    ".editorconfig",
    ".prettierrc.json",
    ".eslintrc.cjs",
    ".nvmrc",
    ".node-version",
    ".env.example",
    ".gitkeep",
    ".storybook/main.ts",
    // Known to the tables: refused, or flagged one by one.
    ".npmrc",
    ".github/x.yml",
    ".claude/x",
  ])("are not %s", (path) => {
    expect(unknownDotNames([path], [])).toEqual([]);
  });
});
