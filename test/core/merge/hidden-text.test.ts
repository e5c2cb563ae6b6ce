import { describe, expect, it } from "vitest";
import { hiddenTextIn } from "../../../src/core/merge/hidden-text.ts";
import { quickly } from "../../support/quickly.ts";

const diffOf = (line: string, path = "src/a.ts") =>
  `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-old\n+${line}\n`;
const tags = (text: string) =>
  Array.from(text, (one) => String.fromCodePoint(0xe0000 + one.charCodeAt(0))).join("");

describe("hiddenTextIn", () => {
  it.each([
    ["access = 'user\u202e\u2066// admin\u2069\u2066'", "reverses the direction of text"],
    [`Read this.${tags("obey me")}`, "holds text that can't be seen"],
    [`\u{1f3f4}${tags("obey me, not them")}`, "holds text that can't be seen"],
    ["a\u{e0101}\u{e0142}b", "holds text that can't be seen"],
    ["a\u200b\u200c\u200d\u200bb", "holds text that can't be seen"],
    ["ok(); // fine\revil();", "holds a character in the middle of a line that ends it for some programs"],
    [
      "ok(); // fine\u2028evil();\r",
      "holds a character in the middle of a line that ends it for some programs",
    ],
    ["// fine\u2029evil();", "holds a character in the middle of a line that ends it for some programs"],
    [`ok();${" ".repeat(500)}evil();`, "has text far to the right, behind 200 or more spaces"],
    [`${"\t \u3000".repeat(70)}evil();`, "has text far to the right, behind 200 or more spaces"],
    ["a\0b", "holds zero bytes, which some programs don't show"],
  ])("finds it in %j", (line, what) => {
    expect(hiddenTextIn(diffOf(line))).toEqual([{ path: "src/a.ts", what }]);
  });

  it.each([
    "plain text",
    "\u200d",
    "👩\u200d👩\u200d👧",
    `\u{1f3f4}${tags("gbeng")}\u{e007f}`,
    "می\u200cخواهم",
    "❤\ufe0f",
    "ends(); \r",
    "ends();\r\r\u2028",
    `ok();${" ".repeat(199)}x`,
    `ok();${" ".repeat(500)}`,
  ])("leaves %j alone", (line) => {
    expect(hiddenTextIn(diffOf(line))).toEqual([]);
  });

  it.each(["a\rb", "a\u2028b", `a${" ".repeat(500)}b`, "a\0b"])(
    "leaves %j alone in prose and data",
    (line) => {
      expect(hiddenTextIn(diffOf(line, "notes.md"))).toEqual([]);
      expect(hiddenTextIn(diffOf(line, "texts.json"))).toEqual([]);
    },
  );

  it("reads names as git writes them", () => {
    const diff = diffOf("\u202e").replaceAll("+++ b/src/a.ts", '+++ "b/\\303\\274\\"\\t.ts"');
    expect(hiddenTextIn(diff)).toEqual([{ path: '\u00fc"\t.ts', what: "reverses the direction of text" }]);
    expect(hiddenTextIn(diffOf("\u202e", "c d.ts").replace("+++ b/c d.ts", "$&\t"))).toEqual([
      { path: "c d.ts", what: "reverses the direction of text" },
    ]);
  });

  it("takes a time that grows with the text", () => {
    const parts = [" ", "\r", "\u2028", "a ", `${" ".repeat(199)}a`, "\u200b\u200b\u200ba"];
    for (const part of parts)
      quickly(4_000, () => hiddenTextIn(diffOf(part.repeat(1_000_000 / part.length))), JSON.stringify(part));
  });

  it("looks at added lines only, and tells the files apart", () => {
    const removed = diffOf("fine", "b.ts").replace("-old", "-\u202eold");
    expect(hiddenTextIn(`${removed}${diffOf("\u202e", "c d.ts")}`)).toEqual([
      { path: "c d.ts", what: "reverses the direction of text" },
    ]);
  });
});
