import { describe, expect, it } from "vitest";
import { badName } from "../../../src/core/merge/bad-names.ts";

describe("badName", () => {
  it.each([
    [".git/config", "would be read as a `.git` folder on some systems"],
    ["src/.GIT/config", "would be read as a `.git` folder on some systems"],
    [".g\u200cit/x", "would be read as a `.git` folder on some systems"],
    [".git. /x", "would be read as a `.git` folder on some systems"],
    [".git::$INDEX_ALLOCATION/x", "would be read as a `.git` folder on some systems"],
    ["GIT~1/x", "would be read as a `.git` folder on some systems"],
    ["a\\b", "holds a backslash, which is a separator on other systems"],
    ["a\nb", "holds control characters"],
    ["a\u001b[31m", "holds control characters"],
    ["txt.\u202eexe", "holds characters that reverse the direction of text"],
    ["bad\ufffd", "is not valid UTF-8"],
    ["../x", "leaves its folder"],
    ["a/../x", "leaves its folder"],
    ["/x", "leaves its folder"],
    ["a//x", "leaves its folder"],
    ["a\u0085b", "holds control characters"],
    ["pack\u200bage.json", "holds characters that can't be seen"],
    ["index\ufeff.ts", "holds characters that can't be seen"],
    ["a\u00adb", "holds characters that can't be seen"],
    ["a\u00a0b", "holds characters that can't be seen"],
    ["a\u3164b", "holds characters that can't be seen"],
    ["a\u2800b", "holds characters that can't be seen"],
    ["a\u{e0041}b", "holds characters that can't be seen"],
    ["a\u{e0101}b", "holds characters that can't be seen"],
    ["a\ufe0fb", "holds characters that can't be seen"],
    ["a\u2028b", "holds characters that can't be seen"],
    ["a\ue000b", "holds characters that can't be seen"],
    ["src/a.ts.", "begins with a space, or ends with a space or a dot, which some systems drop"],
    ["src/a.ts ", "begins with a space, or ends with a space or a dot, which some systems drop"],
    ["src /a.ts", "begins with a space, or ends with a space or a dot, which some systems drop"],
    [" a.ts", "begins with a space, or ends with a space or a dot, which some systems drop"],
    ["...", "begins with a space, or ends with a space or a dot, which some systems drop"],
    [`${"a/".repeat(41)}b`, "lies more than 40 folders deep"],
    [`${"a".repeat(250)}/${"é".repeat(125)}`, "is longer than 500 bytes"],
  ])("says why %j must not be", (path, why) => {
    expect(badName(path)).toBe(why);
  });

  it.each([
    "a b",
    "-rf",
    "$(id)",
    "ü",
    "日本.txt",
    ".gitignore",
    "git",
    "a.git/x",
    "x~1",
    "a:b",
    "*",
    "\u2764\ufe0f.md",
    "1\ufe0f.md",
  ])("has nothing against %j", (path) => {
    expect(badName(path)).toBeNull();
  });
});
