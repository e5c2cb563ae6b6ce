import fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { countCodePoints, cutText, fitText, wrapText } from "../../../src/core/text/text-width.ts";
import { quickly } from "../../support/quickly.ts";

describe("cutting a text to a width", () => {
  it("leaves what fits as it is", () => {
    expect(cutText("parser", 6, stringWidth)).toBe("parser");
  });

  it("marks the cut", () => {
    expect(cutText("parser", 5, stringWidth)).toBe("pars…");
  });

  it("does not cut a wide letter in half", () => {
    expect(cutText("解析器", 4, stringWidth)).toBe("解…");
    expect(cutText("解析器", 5, stringWidth)).toBe("解析…");
  });

  it("keeps a letter and its marks together", () => {
    expect(cutText("e\u0301e\u0301e\u0301", 2, stringWidth)).toBe("e\u0301…");
  });

  it("counts code points when nobody knows better", () => {
    expect(cutText("解析器", 2, countCodePoints)).toBe("解…");
  });

  it("never gets wider than asked, and fills up to exactly that", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.nat(30), (text, width) => {
        expect(stringWidth(cutText(text, width, stringWidth))).toBeLessThanOrEqual(width);
        expect(stringWidth(fitText(text, width, stringWidth))).toBe(width);
      }),
    );
  });

  it("looks at no more of a long text than it needs", () => {
    const long = "解".repeat(1_000_000);
    quickly(5_000, () => {
      for (let i = 0; i < 100; i += 1) cutText(long, 40, stringWidth);
    });
  });
});

describe("wrapping a text", () => {
  it("breaks between words", () => {
    expect(wrapText("one two three four", 9, countCodePoints)).toEqual(["one two", "three", "four"]);
  });

  it("keeps a command in one piece", () => {
    expect(wrapText("Go on with `loom retry r s`, or not.", 16, countCodePoints)).toEqual([
      "Go on with",
      "`loom retry r s`,",
      "or not.",
    ]);
  });
});
