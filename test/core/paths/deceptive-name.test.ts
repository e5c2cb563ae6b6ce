import { describe, expect, it } from "vitest";
import { findingTexts } from "../../../src/core/merge/finding-texts.ts";
import { doubtAbout } from "../../../src/core/paths/deceptive-name.ts";
import { visiblePath } from "../../../src/core/paths/visible-name.ts";

describe("a name in doubt", () => {
  it.each([
    ["p\u0430ckage.json", "mixes Latin letters with Cyrillic ones that look alike"],
    ["\u03bfpen.ts", "mixes Latin letters with Greek ones that look alike"],
    ["\uff50ackage.json", "holds characters that stand for plainer ones, and may be taken for them"],
    ["index\u2024ts", "holds characters that stand for plainer ones, and may be taken for them"],
    ["\u{1d41a}.ts", "holds characters that stand for plainer ones, and may be taken for them"],
    ["-rf", "begins with a dash, so that programs may take it for an option"],
    ["$(curl x)", "holds characters that a shell would act on"],
    ["a`id`", "holds characters that a shell would act on"],
    ["a;b", "holds characters that a shell would act on"],
    ["AUX.ts", "is the name of a device on Windows"],
  ])("%j: %s", (name, why) => {
    expect(doubtAbout(name)).toBe(why);
  });

  it.each(["package.json", "пакет", "日本.txt", "e\u0301.md", "$id.tsx", "[slug].tsx", "(group)"])(
    "is not %j",
    (name) => {
      expect(doubtAbout(name)).toBeNull();
    },
  );
});

describe("visiblePath", () => {
  it("spells out what can't be seen or looks like something else, and leaves the rest alone", () => {
    expect(visiblePath("日本/p\u0430ckage.json")).toBe("日本/p\\u{430}ckage.json");
    expect(visiblePath("a\u200bb/ü.md")).toBe("a\\u{200b}b/ü.md");
    expect(visiblePath("new\nline")).toBe("new\\u{a}line");
    expect(visiblePath(`${"x".repeat(300)}`)).toBe(`${"x".repeat(200)}… (100 more characters)`);
  });

  it("shows a bad name in its sentence", () => {
    expect(findingTexts.badName("a\u200b.ts", "holds characters that can't be seen")).toMatchInlineSnapshot(
      `""a\\u{200b}.ts" holds characters that can't be seen. Rename it."`,
    );
  });
});
