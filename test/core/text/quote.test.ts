import { describe, expect, it } from "vitest";
import { quote, quoteSome } from "../../../src/core/text/quote.ts";

describe("quote", () => {
  it("keeps a name on one line, between backticks that it can't close", () => {
    expect(quote("a`b`\nc\u001b[31m")).toBe("`a'b' c [31m`");
  });

  it("cuts what is long", () => {
    expect(Array.from(quote("x".repeat(500)))).toHaveLength(122);
  });

  it("shows the first few of many", () => {
    expect(quoteSome(["a", "b", "c", "d"], 2)).toBe("`a`, `b` and 2 more");
  });
});
