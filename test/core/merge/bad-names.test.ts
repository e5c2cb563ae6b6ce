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
  ])("says why %j must not be", (path, why) => {
    expect(badName(path)).toBe(why);
  });

  it.each(["a b", "-rf", "$(id)", "ü", "日本.txt", ".gitignore", "git", "a.git/x", "x~1", "...", "a:b", "*"])(
    "has nothing against %j",
    (path) => {
      expect(badName(path)).toBeNull();
    },
  );
});
