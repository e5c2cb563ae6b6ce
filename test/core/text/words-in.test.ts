import { expect, it } from "vitest";
import { wordsIn } from "../../../src/core/text/words-in.ts";

it.each([
  ["nothing", ""],
  ["spaces and line ends", " \t\r\n\u00a0\u3000"],
  ["what has no width", "\u200b\u200b\ufeff"],
  ["controls", "\u0001\u0002\u0000"],
  ["colours", "\u001b[31m\u001b[0m"],
  ["fillers and selectors", "\u3164\u115f\ufe0f\u2800"],
])("takes %s for no words", (_name, text) => {
  expect(wordsIn(text)).toBe("");
});

it("keeps words as they can be seen", () => {
  expect(wordsIn("\u200b Why?\r\n  \u001b[1mHow?\u001b[0m ✅\ufe0f\n")).toBe("Why?\n  How? ✅\ufe0f");
  expect(wordsIn("?")).toBe("?");
});
